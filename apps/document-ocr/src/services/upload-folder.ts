import { lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const leftover = /^ocr-upload-([1-9]\d{0,9})-[A-Za-z0-9]{6}$/;

/** Hands out a folder for one upload, for this user alone, and takes it away afterwards. */
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

/** Takes away what servers left behind that were killed. */
export async function sweepUploadFolders(root: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const pid = Number(leftover.exec(name)?.[1] ?? 0);
    if (pid === 0 || pid === process.pid || isAlive(pid)) continue;
    const folder = await lstat(join(root, name)).catch(() => null);
    // In a folder that all may write to, a link or another user's folder may bear any name.
    if (!folder?.isDirectory() || folder.uid !== process.getuid?.()) continue;
    await rm(join(root, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
