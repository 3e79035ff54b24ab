import { pathToFileURL } from "node:url";
import type { ContenderModule, OpenOptions } from "../contenders/contender.ts";

/** Where a process finds its contender. */
export interface ContenderAddress {
  readonly module: string;
  /** A file that imports from the folder of the peers; null when none are installed. */
  readonly peerLoader: string | null;
  /** Its program for cold starts, where its packages are found. */
  readonly coldProgram: string;
}

export async function loadContender({ module, peerLoader }: ContenderAddress): Promise<{
  module: ContenderModule;
  openOptions(url: string, isTuned: boolean): OpenOptions;
}> {
  const { contender } = (await import(`../contenders/${module}.ts`)) as { contender: ContenderModule };
  const load = async (packageName: string): Promise<unknown> => {
    if (peerLoader === null) throw new Error(`${packageName} is not installed.`);
    return (await import(pathToFileURL(peerLoader).href)).load(packageName);
  };
  return { module: contender, openOptions: (url, isTuned) => ({ url, isTuned, load }) };
}
