/** What one document may cost. Beyond a limit it is refused for good: another try would end the same way. */
export interface ReadingLimits {
  /** Pages are drawn at this resolution, and their pixels are counted at it. */
  readonly dpi: number;
  readonly mostPages: number;
  readonly mostPagePixels: number;
  readonly mostDocumentPixels: number;
  readonly mostObjects: number;
  readonly mostTextBytes: number;
  readonly mostWordsPerPage: number;
  /** Of the process that parses and reads, all its threads together. */
  readonly memoryBytes: number;
  readonly cpuMsPerPage: number;
  readonly wallMsPerPage: number;
  /** Of a file that it writes. */
  readonly mostOutputBytes: number;
}

const mib = 1024 * 1024;

export const defaultReadingLimits: ReadingLimits = {
  dpi: 200,
  mostPages: 200,
  mostPagePixels: 50_000_000,
  mostDocumentPixels: 1_000_000_000,
  mostObjects: 500_000,
  mostTextBytes: 5 * mib,
  mostWordsPerPage: 20_000,
  memoryBytes: 512 * mib,
  cpuMsPerPage: 60_000,
  wallMsPerPage: 120_000,
  mostOutputBytes: 200 * mib,
};
