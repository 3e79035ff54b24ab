import { spawn } from "node:child_process";
import type { Io } from "../session/io.ts";

/** Shows an address in the browser: the one of BROWSER, or that of the system. False: there is none. */
export function openAddress(url: string, env: Io["env"]): Promise<boolean> {
  const [program = "", ...args] = openerOf(env.BROWSER);
  return new Promise((resolve) => {
    const opener = spawn(program, [...args, url], { stdio: "ignore", detached: true });
    opener.once("error", () => resolve(false));
    opener.once("spawn", () => resolve(true));
    // It may be the browser itself.
    opener.unref();
  });
}

function openerOf(browser: string | undefined): string[] {
  if (browser !== undefined && browser !== "") return [browser];
  if (process.platform === "darwin") return ["open"];
  // The first word that start gets in quotes would be a title.
  if (process.platform === "win32") return ["cmd", "/c", "start", ""];
  return ["xdg-open"];
}
