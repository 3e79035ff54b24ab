/** The code of a system error. Not by its class: a test runner's sandbox has an Error of its own. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
