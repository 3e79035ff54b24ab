/** A clean environment: the caller's locale, time zone and PG* variables must not reach the server. */
export function serverEnvironment(): Record<string, string> {
  // biome-ignore lint/style/noProcessEnv: the server's programs are found through PATH, and Windows needs SystemRoot.
  const { PATH = "/usr/bin:/bin", SystemRoot } = process.env;
  return { PATH, LC_ALL: "C", TZ: "UTC", ...(SystemRoot === undefined ? {} : { SystemRoot }) };
}
