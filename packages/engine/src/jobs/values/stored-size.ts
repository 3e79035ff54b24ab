const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const letterE = 0x65;

/** No JSON text takes more bytes in PostgreSQL than this many for each of its characters. */
export const mostStoredBytesPerCharacter = 64;

/**
 * The size of JSON.stringify's text as PostgreSQL measures it, so that what is let in here is never refused
 * there. As jsonb it has a space after each comma and colon, and its numbers have no exponents.
 */
export function storedBytes(json: string): number {
  let bytes = Buffer.byteLength(json);
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (character === quote) at = endOfText(json, at);
    else if (character === comma || character === colon) bytes += 1;
    else if (character === letterE && isDigit(json.charCodeAt(at - 1))) bytes += digitsAddedAt(json, at);
  }
  return bytes;
}

function endOfText(json: string, start: number): number {
  let at = start + 1;
  while (json.charCodeAt(at) !== quote) at += json.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

/** What writing out 1.5e+21 or 1.5e-7 adds to it. */
function digitsAddedAt(json: string, exponentAt: number): number {
  const [exponent = ""] = /^e[+-]\d+/.exec(json.slice(exponentAt, exponentAt + 6)) ?? [];
  const [, decimals = ""] = /\.(\d+)$/.exec(json.slice(Math.max(0, exponentAt - 20), exponentAt)) ?? [];
  const places = Number(exponent.slice(2));
  const length = 1 + (decimals === "" ? 0 : 1 + decimals.length) + exponent.length;
  const writtenOut = exponent[1] === "-" ? 2 + places + decimals.length : 1 + places;
  return writtenOut - length;
}

function isDigit(character: number): boolean {
  return character >= 0x30 && character <= 0x39;
}
