// A display, pixel for pixel.

const LIT = [207, 232, 255];
const DARK = [4, 6, 9];

export function oled(name, label) {
  const canvas = document.createElement("canvas");
  canvas.className = "oled";
  canvas.dataset.display = name;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", label);
  canvas.width = name === "table" ? 256 : 128;
  canvas.height = 64;

  function draw({ width, height, bits }) {
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const image = new ImageData(width, height);
    const stride = Math.ceil(width / 8);
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const lit = bits[y * stride + (x >> 3)] & (0x80 >> (x & 7));
        image.data.set(lit ? LIT : DARK, (y * width + x) * 4);
        image.data[(y * width + x) * 4 + 3] = 255;
      }
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
    canvas.dataset.drawn = String(Number(canvas.dataset.drawn ?? 0) + 1);
  }

  return { canvas, draw };
}
