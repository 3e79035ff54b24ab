const headerBytes = 20;
const bytesPerId = 20;
const uuidType = 2950;
// Without elements there is no dimension to describe.
const emptyArray = Buffer.alloc(12);
emptyArray.writeInt32BE(uuidType, 8);
// Where the two digits of each byte stand, between the dashes.
const digitPairs = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const digits = new Uint8Array(128);
for (let digit = 0; digit < 16; digit += 1) digits[digit.toString(16).charCodeAt(0)] = digit;

/** Ids as PostgreSQL wrote them, as a uuid[] in its binary form: half the bytes, and nothing to parse for the server. */
export function uuidArray(ids: readonly string[]): Buffer {
  if (ids.length === 0) return emptyArray;
  const array = Buffer.alloc(headerBytes + ids.length * bytesPerId);
  array.writeInt32BE(1, 0); // dimensions; then, whether there are nulls
  array.writeInt32BE(uuidType, 8);
  array.writeInt32BE(ids.length, 12);
  array.writeInt32BE(1, 16); // the first index
  let at = headerBytes;
  let last = "";
  for (const id of ids) {
    // The claims of one call have one token.
    if (id === last) array.copyWithin(at, at - bytesPerId, at);
    else write(id, array, at);
    last = id;
    at += bytesPerId;
  }
  return array;
}

function write(id: string, array: Buffer, start: number): void {
  array[start + 3] = digitPairs.length;
  let at = start + 4;
  for (const index of digitPairs) {
    array[at] = (digitAt(id, index) << 4) | digitAt(id, index + 1);
    at += 1;
  }
}

function digitAt(id: string, index: number): number {
  return digits[id.charCodeAt(index)] ?? 0;
}
