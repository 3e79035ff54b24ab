/** How large a package may be, in thousands of bytes: as npm fetches it, and as it lies on the disk. */
export interface SizeBudget {
  readonly packedKb: number;
  readonly unpackedKb: number;
  readonly files: number;
}

/**
 * About a tenth above what they were when this was written. More than half of each is sources, maps and declarations, the latter twice.
 * Raise a number when what was added is worth it, in the commit that adds it.
 */
export const sizeBudgets: Readonly<Record<string, SizeBudget>> = {
  "packages/database": { packedKb: 440, unpackedKb: 1_800, files: 480 },
  "packages/engine": { packedKb: 770, unpackedKb: 3_150, files: 1_600 },
  "packages/local-postgres": { packedKb: 43, unpackedKb: 155, files: 136 },
  "packages/server": { packedKb: 299, unpackedKb: 1_250, files: 810 },
  "packages/client": { packedKb: 50, unpackedKb: 199, files: 150 },
  "packages/react": { packedKb: 13, unpackedKb: 46, files: 57 },
  "packages/ai": { packedKb: 31, unpackedKb: 125, files: 120 },
  "packages/cli": { packedKb: 350, unpackedKb: 1_340, files: 1_010 },
  "packages/testing": { packedKb: 26, unpackedKb: 91, files: 83 },
  "packages/create-lockstep": { packedKb: 17, unpackedKb: 52, files: 43 },
  "packages/console": { packedKb: 256, unpackedKb: 801, files: 82 },
};

/** What a program that only adds jobs is in a minified bundle with `pg`, when the SQL for `migrate` is a file of its own. */
export const addingBundleKb = 525;
