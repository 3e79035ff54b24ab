import { randomBytes, randomInt, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify<string, Buffer, number, Buffer>(scrypt);
const digits = 6;
const hashBytes = 32;

/** A code as it is kept. */
export interface KeptCode {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

export const codePattern = /^\d{6}$/;

export function newCode(): string {
  return String(randomInt(10 ** digits)).padStart(digits, "0");
}

/** Slow to compute: a million codes are few enough to try them all against a plain hash. */
export async function keptCode(code: string): Promise<KeptCode> {
  const salt = randomBytes(16);
  return { salt, hash: await derive(code, salt, hashBytes) };
}

/** In the same time, however much of it is right. */
export async function isCode(code: string, { salt, hash }: KeptCode): Promise<boolean> {
  return timingSafeEqual(await derive(code, salt, hashBytes), hash);
}
