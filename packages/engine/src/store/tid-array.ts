import { arrayHeaderBytes, writeArrayHeader } from "./array-header.ts";

const tidBytes = 6;
const tidType = 27;
const comma = 44;
const zero = 48;

/** Addresses of rows as PostgreSQL wrote them, "(block,item)", as a tid[] in its binary form. Null when none is known. */
export function tidArray(addresses: readonly (string | null)[]): Buffer | null {
  const array = Buffer.alloc(arrayHeaderBytes + addresses.length * (4 + tidBytes));
  let unknown = 0;
  let at = arrayHeaderBytes;
  for (const address of addresses) {
    if (address === null) {
      array.writeInt32BE(-1, at);
      at += 4;
      unknown += 1;
    } else {
      write(address, array, at);
      at += 4 + tidBytes;
    }
  }
  if (unknown === addresses.length) return null;
  writeArrayHeader(array, { type: tidType, length: addresses.length, hasNulls: unknown > 0 });
  return array.subarray(0, at);
}

/** By hand, digit by digit: there may be a thousand of them in a call. */
function write(address: string, array: Buffer, start: number): void {
  const end = address.length - 1;
  let at = 1;
  let block = 0;
  for (; address.charCodeAt(at) !== comma; at += 1) block = block * 10 + address.charCodeAt(at) - zero;
  let item = 0;
  for (at += 1; at < end; at += 1) item = item * 10 + address.charCodeAt(at) - zero;
  array[start + 3] = tidBytes;
  array[start + 4] = block >>> 24;
  array[start + 5] = block >>> 16;
  array[start + 6] = block >>> 8;
  array[start + 7] = block;
  array[start + 8] = item >>> 8;
  array[start + 9] = item;
}
