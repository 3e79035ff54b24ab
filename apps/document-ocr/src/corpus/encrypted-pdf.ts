import { createHash } from "node:crypto";
import { onePage, rawPdf, rawStream } from "./raw-pdf.ts";

// What every standard handler fills passwords up with (PDF 1.7, 7.6.3.3).
const padding = Buffer.from("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A", "hex");
const fileId = Buffer.from("0123456789abcdef0123456789abcdef", "hex");
const permissions = -4;

/** Encrypted with the oldest standard handler (40 bits): with a password, or with restrictions only. */
export function encryptedPdf(password: string): Buffer {
  const user = padded(password);
  const owner = rc4(md5(padded("owner")).subarray(0, 5), user);
  const allowed = Buffer.alloc(4);
  allowed.writeInt32LE(permissions);
  const key = md5(Buffer.concat([user, owner, allowed, fileId])).subarray(0, 5);
  const check = rc4(key, padding);
  const encrypt = `<< /Filter /Standard /V 1 /R 2 /O <${hex(owner)}> /U <${hex(check)}> /P ${permissions} >>`;
  return rawPdf([...onePage(), rawStream("", Buffer.from("BT ET")), encrypt], {
    trailer: `/Encrypt 5 0 R /ID [<${hex(fileId)}> <${hex(fileId)}>]`,
  });
}

const md5 = (bytes: Buffer) => createHash("md5").update(bytes).digest();
const hex = (bytes: Buffer) => bytes.toString("hex");
const padded = (password: string) => Buffer.concat([Buffer.from(password), padding]).subarray(0, 32);

/** By hand: OpenSSL no longer has it. */
function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, at) => at);
  const swap = (one: number, other: number) => {
    [state[one], state[other]] = [state[other] ?? 0, state[one] ?? 0];
  };
  for (let at = 0, mix = 0; at < 256; at++) {
    mix = (mix + (state[at] ?? 0) + (key[at % key.length] ?? 0)) & 255;
    swap(at, mix);
  }
  let [one, other] = [0, 0];
  return Buffer.from(
    data.map((byte) => {
      one = (one + 1) & 255;
      other = (other + (state[one] ?? 0)) & 255;
      swap(one, other);
      return byte ^ (state[((state[one] ?? 0) + (state[other] ?? 0)) & 255] ?? 0);
    }),
  );
}
