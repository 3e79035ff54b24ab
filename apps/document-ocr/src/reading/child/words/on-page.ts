import { type Box, round, type Word } from "../../page-text.ts";
import type { TurnedImage } from "../image/turned-image.ts";
import type { Region } from "../image/unread-regions.ts";
import type { SeenWord } from "./tesseract.ts";

/** A part of a turned picture, as the box around it on the page as it is shown. */
export function boxOnPage({ left, top, right, bottom }: Region, turned: TurnedImage, dpi: number): Box {
  const points = 72 / dpi;
  const corners = [
    turned.back(left, top),
    turned.back(right, top),
    turned.back(left, bottom),
    turned.back(right, bottom),
  ];
  const xs = corners.map(({ x }) => x * points);
  const ys = corners.map(({ y }) => y * points);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x: round(x), y: round(y), width: round(Math.max(...xs) - x), height: round(Math.max(...ys) - y) };
}

export function wordOnPage(word: SeenWord, turned: TurnedImage, dpi: number): Word {
  const { text, confidence, left, right, baseline, fontSize } = word;
  const points = 72 / dpi;
  const [from, to] = [turned.back(left, baseline.left), turned.back(right, baseline.right)];
  const [along, down] = [to.x - from.x, to.y - from.y];
  return {
    text,
    confidence: round(confidence),
    box: boxOnPage(word, turned, dpi),
    baseline: {
      x: round(from.x * points),
      y: round(from.y * points),
      degrees: round(((Math.atan2(down, along) * 180) / Math.PI + 360) % 360),
      length: round(Math.hypot(along, down) * points),
      size: round(fontSize * points),
    },
  };
}
