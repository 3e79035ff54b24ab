/** The URL of another database of the same server; also where there is no host but the folder of a socket. */
export function urlOfDatabase(serverUrl: string, name: string): string {
  return serverUrl.replace(/^([^:]+:\/\/[^/?#]*)[^?#]*/, `$1/${name}`);
}
