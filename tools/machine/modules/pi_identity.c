// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/device-tree with a Raspberry Pi's model and revision, on kernels that have no device tree (amd64), so that
 * gpiozero finds the machine that it is on just where a Pi has it.
 */
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

static uint revision = 0xb03115;
static char *model = "Raspberry Pi 4 Model B Rev 1.5";
module_param(revision, uint, 0444);
module_param(model, charp, 0444);
MODULE_PARM_DESC(revision, "the board's revision code");
MODULE_PARM_DESC(model, "the board's name");

static struct proc_dir_entry *tree;

static int show_revision(struct seq_file *file, void *unused)
{
	__be32 code = cpu_to_be32(revision);

	return seq_write(file, &code, sizeof(code));
}

static int show_model(struct seq_file *file, void *unused)
{
	return seq_write(file, model, strlen(model) + 1);
}

static int __init pi_identity_init(void)
{
	struct proc_dir_entry *system;

	tree = proc_mkdir("device-tree", NULL);
	system = tree ? proc_mkdir("system", tree) : NULL;
	if (!system || !proc_create_single("linux,revision", 0444, system, show_revision) ||
	    !proc_create_single("model", 0444, tree, show_model)) {
		proc_remove(tree);
		return -ENOMEM;
	}
	return 0;
}

static void __exit pi_identity_exit(void)
{
	proc_remove(tree);
}

module_init(pi_identity_init);
module_exit(pi_identity_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Model and revision of a Raspberry Pi where there is no device tree");
