import type { GrayImage } from "../reading/child/image/gray-image.ts";

const white = 255;

/** Out of focus: each pixel's light is spread over its neighbours, by a bell curve of that width. */
export function blurred(image: GrayImage, sigma: number): GrayImage {
  if (sigma === 0) return image;
  const reach = Math.ceil(sigma * 2.5);
  const steps = Array.from({ length: 2 * reach + 1 }, (_, at) => at - reach);
  const weights = steps.map((step) => Math.exp(-(step * step) / (2 * sigma * sigma)));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const along = ({ width, height, pixels }: GrayImage, stride: number): GrayImage => {
    const spread = new Uint8Array(pixels.length);
    for (let at = 0; at < pixels.length; at++) {
      let shade = 0;
      for (const [index, step] of steps.entries()) {
        shade += (pixels[at + step * stride] ?? white) * (weights[index] ?? 0);
      }
      spread[at] = shade / sum;
    }
    return { width, height, pixels: spread };
  };
  return along(along(image, 1), image.width);
}

/** Narrower at the top and with lines that fan out, as a sheet that is photographed from below its middle. */
export function tapered(image: GrayImage, keystone: number): GrayImage {
  if (keystone === 0) return image;
  const { width, height, pixels } = image;
  const turned = new Uint8Array(pixels.length).fill(white);
  for (let y = 0; y < height; y++) {
    const wider = 1 + keystone * (0.5 - y / height);
    for (let x = 0; x < width; x++) {
      const fromX = width / 2 + (x - width / 2) * wider;
      const fromY = y + ((keystone * (x - width / 2)) / width) * (y - height / 2) * 0.5;
      turned[y * width + x] = sample(image, fromX, fromY);
    }
  }
  return { width, height, pixels: turned };
}

function sample({ width, height, pixels }: GrayImage, x: number, y: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  if (left < 0 || top < 0 || left >= width - 1 || top >= height - 1) return white;
  const [shareX, shareY] = [x - left, y - top];
  const at = top * width + left;
  const above = (pixels[at] ?? white) * (1 - shareX) + (pixels[at + 1] ?? white) * shareX;
  const below = (pixels[at + width] ?? white) * (1 - shareX) + (pixels[at + width + 1] ?? white) * shareX;
  return above * (1 - shareY) + below * shareY;
}
