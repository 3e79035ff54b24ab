import { randomFillSync } from "node:crypto";

// Random bytes for many ids at once: a call for each would cost more than everything else here.
const pool = Buffer.alloc(16 * 512);
let used = pool.length;

/** A UUID of version 7: ids in the order of their time, so that a list by id is a list by age. */
export function newJobId(now: Date): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const id = pool.subarray(used, used + 16);
  used += 16;
  id.writeUIntBE(now.getTime(), 0, 6);
  id[6] = ((id[6] ?? 0) & 0x0f) | 0x70;
  id[8] = ((id[8] ?? 0) & 0x3f) | 0x80;
  const hex = id.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
