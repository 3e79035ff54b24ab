import { constants, deflateRawSync } from "node:zlib";

const block = 1024 * 1024;

/** Zeros, packed a thousand to one: what it unpacks to never exists here. */
export function packedZeros(mebibytes: number): Buffer {
  // Each block stands for itself, so one of them can be written over and over.
  const packed = deflateRawSync(Buffer.alloc(block), { finishFlush: constants.Z_FULL_FLUSH });
  const check = Buffer.alloc(4);
  // Adler-32 of zeros: the low sum stays 1, the high one counts them.
  check.writeUInt16BE((mebibytes * block) % 65_521, 0);
  check.writeUInt16BE(1, 2);
  const emptyLastBlock = Buffer.from([0x03, 0x00]);
  return Buffer.concat([
    Buffer.from([0x78, 0x9c]),
    ...Array.from({ length: mebibytes }, () => packed),
    emptyLastBlock,
    check,
  ]);
}
