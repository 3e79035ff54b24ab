const leftOutOrPutIn = 2;

/**
 * For each word of one text, the place of its counterpart in another, -1 where it has none: so that as few words as can
 * be are put in, left out or changed, and a changed one for one of about its length.
 */
export function alignWords(from: readonly string[], to: readonly string[]): number[] {
  const width = to.length + 1;
  const costs = new Uint32Array((from.length + 1) * width);
  const cost = (row: number, column: number) => costs[row * width + column] ?? 0;
  const change = (row: number, column: number) => changeCost(from[row - 1] ?? "", to[column - 1] ?? "");
  for (let row = 0; row <= from.length; row++) {
    for (let column = 0; column <= to.length; column++) {
      costs[row * width + column] =
        row === 0 || column === 0
          ? (row + column) * leftOutOrPutIn
          : Math.min(
              cost(row - 1, column - 1) + change(row, column),
              cost(row - 1, column) + leftOutOrPutIn,
              cost(row, column - 1) + leftOutOrPutIn,
            );
    }
  }
  const places = new Array<number>(to.length).fill(-1);
  let [row, column] = [from.length, to.length];
  while (row > 0 && column > 0) {
    if (cost(row, column) === cost(row - 1, column - 1) + change(row, column)) {
      places[column - 1] = row - 1;
      row--;
      column--;
    } else if (cost(row, column) === cost(row - 1, column) + leftOutOrPutIn) row--;
    else column--;
  }
  return places;
}

function changeCost(one: string, other: string): number {
  if (one === other) return 0;
  return Math.abs(one.length - other.length) * 3 <= Math.max(one.length, other.length) ? 2 : 3;
}
