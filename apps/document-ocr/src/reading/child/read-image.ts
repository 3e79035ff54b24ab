import { type Box, round, type Word } from "../page-text.ts";
import { cleanImage } from "./clean-image.ts";
import { evenSizes } from "./even-sizes.ts";
import { findSkew } from "./find-skew.ts";
import type { GrayImage } from "./gray-image.ts";
import { inkOf } from "./ink.ts";
import { levelPaper } from "./level-paper.ts";
import { columnsOfLines } from "./reading-order.ts";
import type { ImageReader, SeenLines, SeenWord } from "./tesseract.ts";
import { type TurnedImage, turnImage } from "./turned-image.ts";

/** What was seen on a page, its boxes in points of the page as it is shown. */
export interface SeenPage {
  readonly lines: readonly (readonly Word[])[];
  readonly rotationDegrees: number;
  readonly skewDegrees: number;
}

// Text that is read upside down gives words, but hardly any that tesseract believes in.
const leastUprightConfidence = 60;
// Lines have to stand out clearly more across the page than along it, or a table would be turned.
const sidewaysLead = 1.2;

/** Turns the picture of a page until its lines are level and upright, and reads it. */
export async function readImage(drawn: GrayImage, dpi: number, reader: ImageReader): Promise<SeenPage> {
  const image = levelPaper(drawn);
  const ink = inkOf(image);
  const level = findSkew(ink, { sideways: false });
  const sideways = findSkew(ink, { sideways: true });
  const isSideways = sideways.score > level.score * sidewaysLead;
  const { degrees } = isSideways ? sideways : level;
  const clean = cleanImage(image, ink.divide);
  const readTurned = async (quarters: number) => {
    const turned = turnImage(clean, quarters, degrees);
    return { quarters, turned, lines: await reader.read(turned, dpi) };
  };
  const first = await readTurned(isSideways ? 1 : 0);
  const second =
    confidenceOf(first.lines) < leastUprightConfidence ? await readTurned(first.quarters + 2) : first;
  const best = confidenceOf(second.lines) > confidenceOf(first.lines) ? second : first;
  return {
    rotationDegrees: best.quarters * 90,
    skewDegrees: round(degrees),
    lines: evenSizes(inOrder(best.lines)).map((words) => words.map((word) => onPage(word, best.turned, dpi))),
  };
}

/** Tesseract takes short columns that stand close for one; where it does not, its own lines are the better ones. */
function inOrder(lines: SeenLines): SeenLines {
  const placed = lines.flat().map((word) => ({ word, box: boxOf(word) }));
  return columnsOfLines(placed)?.map((line) => line.map(({ word }) => word)) ?? lines;
}

function boxOf({ left, top, right, bottom }: SeenWord): Box {
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The mean by letters: scraps of one letter are many and mean little. */
function confidenceOf(lines: SeenLines): number {
  let [sum, letters] = [0, 0];
  for (const { text, confidence } of lines.flat()) {
    sum += confidence * text.length;
    letters += text.length;
  }
  return letters === 0 ? 0 : sum / letters;
}

function onPage(word: SeenWord, turned: TurnedImage, dpi: number): Word {
  const { text, confidence, left, top, right, bottom, baseline, fontSize } = word;
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
  const [from, to] = [turned.back(left, baseline.left), turned.back(right, baseline.right)];
  const [along, down] = [to.x - from.x, to.y - from.y];
  return {
    text,
    confidence: round(confidence),
    box: {
      x: round(x),
      y: round(y),
      width: round(Math.max(...xs) - x),
      height: round(Math.max(...ys) - y),
    },
    baseline: {
      x: round(from.x * points),
      y: round(from.y * points),
      degrees: round(((Math.atan2(down, along) * 180) / Math.PI + 360) % 360),
      length: round(Math.hypot(along, down) * points),
      size: round(fontSize * points),
    },
  };
}
