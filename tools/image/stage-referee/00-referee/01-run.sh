#!/bin/bash -e
# The package, and the buses that displays are wired to. In the image nothing is started; the first boot does.

install -v -m 644 files/table-referee_*.deb "${ROOTFS_DIR}/var/cache/table-referee.deb"
on_chroot << EOF
DEBIAN_FRONTEND=noninteractive apt-get install --no-install-recommends -y /var/cache/table-referee.deb
EOF
rm "${ROOTFS_DIR}/var/cache/table-referee.deb"

# As `raspi-config nonint do_i2c 0` and `do_spi 0` do on a running machine.
sed -i 's/^#\(dtparam=i2c_arm=on\)/\1/; s/^#\(dtparam=spi=on\)/\1/' "${ROOTFS_DIR}/boot/firmware/config.txt"
grep -q '^dtparam=i2c_arm=on' "${ROOTFS_DIR}/boot/firmware/config.txt"
grep -q '^dtparam=spi=on' "${ROOTFS_DIR}/boot/firmware/config.txt"
# The displays' data sheets allow 400 kHz; Raspberry Pi OS leaves the bus at 100, which a new screen waits for.
sed -i 's/^dtparam=i2c_arm=on$/&\ndtparam=i2c_arm_baudrate=400000/' "${ROOTFS_DIR}/boot/firmware/config.txt"
grep -q '^dtparam=i2c_arm_baudrate=400000$' "${ROOTFS_DIR}/boot/firmware/config.txt"
echo i2c-dev > "${ROOTFS_DIR}/etc/modules-load.d/table-referee.conf"

# Who flashes a card may have no display yet: a phone is enough for a first game.
cat >> "${ROOTFS_DIR}/etc/table-referee/table.toml" << EOF

[pages]
on = true
EOF
