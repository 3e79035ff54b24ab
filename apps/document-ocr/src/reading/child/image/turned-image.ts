import type { GrayImage } from "./gray-image.ts";

/** A picture turned to be read, and the way back to where its points were. */
export interface TurnedImage extends GrayImage {
  back(x: number, y: number): { x: number; y: number };
}

const least = 0.03;
const white = 255;

/** Turns a picture anticlockwise: by quarters without loss, then by a small angle. */
export function turnImage(image: GrayImage, quarters: number, degrees: number): TurnedImage {
  const quartered = turnQuarters(image, quarters);
  if (Math.abs(degrees) < least) return quartered;
  const straight = turnSlightly(quartered, degrees);
  return {
    ...straight,
    back: (x, y) => {
      const point = straight.back(x, y);
      return quartered.back(point.x, point.y);
    },
  };
}

function turnQuarters(image: GrayImage, quarters: number): TurnedImage {
  const { width, height, pixels } = image;
  if (quarters === 0) return { ...image, back: (x, y) => ({ x, y }) };
  const back = [
    (x: number, y: number) => ({ x, y }),
    (x: number, y: number) => ({ x: width - y, y: x }),
    (x: number, y: number) => ({ x: width - x, y: height - y }),
    (x: number, y: number) => ({ x: y, y: height - x }),
  ][quarters];
  if (back === undefined) throw new RangeError(`A picture is turned by 0 to 3 quarters, not ${quarters}.`);
  const [newWidth, newHeight] = quarters === 2 ? [width, height] : [height, width];
  const turned = new Uint8Array(pixels.length);
  for (let y = 0; y < newHeight; y++) {
    for (let x = 0; x < newWidth; x++) {
      // The middle of a pixel lands in the middle of a pixel.
      const from = back(x + 0.5, y + 0.5);
      turned[y * newWidth + x] = pixels[Math.floor(from.y) * width + Math.floor(from.x)] ?? white;
    }
  }
  return { width: newWidth, height: newHeight, pixels: turned, back };
}

function turnSlightly({ width, height, pixels }: GrayImage, degrees: number): TurnedImage {
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  const [middleX, middleY] = [width / 2, height / 2];
  const back = (x: number, y: number) => ({
    x: middleX + (x - middleX) * cos - (y - middleY) * sin,
    y: middleY + (x - middleX) * sin + (y - middleY) * cos,
  });
  const turned = new Uint8Array(pixels.length).fill(white);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const fromX = middleX + (x - middleX) * cos - (y - middleY) * sin;
      const fromY = middleY + (x - middleX) * sin + (y - middleY) * cos;
      const [left, top] = [Math.floor(fromX), Math.floor(fromY)];
      if (left < 0 || top < 0 || left >= width - 1 || top >= height - 1) continue;
      const [shareX, shareY] = [fromX - left, fromY - top];
      const at = top * width + left;
      const above = (pixels[at] ?? white) * (1 - shareX) + (pixels[at + 1] ?? white) * shareX;
      const below = (pixels[at + width] ?? white) * (1 - shareX) + (pixels[at + width + 1] ?? white) * shareX;
      turned[y * width + x] = above * (1 - shareY) + below * shareY;
    }
  }
  return { width, height, pixels: turned, back };
}
