export const arrayHeaderBytes = 20;

/** What stands before the elements of an array of one dimension in PostgreSQL's binary form. */
export function writeArrayHeader(
  array: Buffer,
  { type, length, hasNulls }: { type: number; length: number; hasNulls: boolean },
): void {
  array.writeInt32BE(1, 0); // dimensions
  array.writeInt32BE(hasNulls ? 1 : 0, 4);
  array.writeInt32BE(type, 8);
  array.writeInt32BE(length, 12);
  array.writeInt32BE(1, 16); // the first index
}
