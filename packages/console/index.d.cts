/** The folder of the built console: index.html and its hashed assets. */
export const consoleFolder: string;

/**
 * Where the built console lies, built first when it is missing or older than its source. A published package
 * carries it built and has no source: there this only answers.
 */
export function ensureConsole(): Promise<string>;
