import { lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isRunning } from "@lockstep/cli/find-database";

const leftover = /^ocr-upload-([1-9]\d{0,9})-[A-Za-z0-9]{6}$/;

/** Creates a folder for one upload, for this user only, and removes it afterwards. */
export async function withUploadFolder<Answer>(
  root: string,
  run: (folder: string) => Promise<Answer>,
): Promise<Answer> {
  await mkdir(root, { recursive: true });
  const folder = await mkdtemp(join(root, `ocr-upload-${process.pid}-`));
  try {
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes what killed servers left behind. */
export async function sweepUploadFolders(root: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const pid = Number(leftover.exec(name)?.[1] ?? 0);
    if (pid === 0 || pid === process.pid || isRunning(pid)) continue;
    const folder = await lstat(join(root, name)).catch(() => null);
    // Where all users may write, a link or another user's folder can have any name.
    if (!folder?.isDirectory() || folder.uid !== process.getuid?.()) continue;
    await rm(join(root, name), { recursive: true, force: true });
  }
}
