import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const listens = "0A";

/** A process's TCP sockets, such as "127.0.0.1 listens" and "127.0.0.1 to 127.0.0.1", as Linux tells them; none elsewhere. */
export function socketsOf(pid: number): string[] {
  if (process.platform !== "linux") return [];
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(pid, fd))?.[1]),
  );
  return ["tcp", "tcp6"]
    .flatMap((kind) => readFileSync(`/proc/${pid}/net/${kind}`, "utf8").trim().split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((parts) => inodes.has(parts[9]))
    .map(([, local = "", remote = "", state]) =>
      state === listens ? `${addressOf(local)} listens` : `${addressOf(local)} to ${addressOf(remote)}`,
    );
}

function linkOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return "closed meanwhile";
  }
}

/** "0100007F:1130" → "127.0.0.1"; of IPv6 the hex digits as they stand there. */
function addressOf(text: string): string {
  const [host = ""] = text.split(":");
  if (host.length > 8) return host;
  return (host.match(/../g) ?? [])
    .map((byte) => Number.parseInt(byte, 16))
    .reverse()
    .join(".");
}
