/** The instant most stories begin at, so that they read the same on every day. */
export const noon = new Date("2026-03-02T12:00:00.000Z");

export function secondsAfter(instant: Date, seconds: number): Date {
  return new Date(instant.getTime() + seconds * 1_000);
}
