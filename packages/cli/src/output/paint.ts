/** Colours for people; each leaves the text as it is where there are none. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  blue(text: string): string;
  magenta(text: string): string;
  cyan(text: string): string;
}

const codes: Record<keyof Paint, readonly [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
};

export function makePaint(hasColor: boolean): Paint {
  const brushes = Object.entries(codes).map(([name, [on, off]]) => [
    name,
    (text: string) => (hasColor && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text),
  ]);
  return Object.fromEntries(brushes) as unknown as Paint;
}
