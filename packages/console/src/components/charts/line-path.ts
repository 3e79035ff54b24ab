/** A gap where nothing is known, not a line through it. */
export function linePath(
  values: readonly (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  let isDrawing = false;
  return values
    .map((value, index) => {
      if (value === null) {
        isDrawing = false;
        return "";
      }
      const point = `${x(index).toFixed(1)},${y(value).toFixed(1)}`;
      // A dot where neither neighbour is known, or it would not be seen.
      const isAlone = !isDrawing && (values[index + 1] ?? null) === null;
      const part = `${isDrawing ? "L" : "M"}${point}${isAlone ? "h1.5" : ""}`;
      isDrawing = true;
      return part;
    })
    .join("");
}
