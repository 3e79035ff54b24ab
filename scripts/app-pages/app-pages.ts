import { port } from "@lockstep/app-kit/environment";

/** The page of an app, as `npm start` starts it. */
export interface AppPage {
  readonly app: string;
  readonly title: string;
  /** Which variable says where it is to be. */
  readonly port: keyof typeof pagePorts;
  /** Which one the app itself reads, if it is another. */
  readonly ownPort?: string;
  readonly name: string;
  /** What it says when it answers, with its address. */
  readonly says: RegExp;
  readonly program: readonly string[];
  /** What is to be done first, and what that says if it takes a while. */
  readonly prepare?: { readonly program: readonly string[]; readonly says: string };
}

// As their own defaults.
export const pagePorts = {
  WEBSITE_ANALYSIS_PORT: port.default(4600),
  OCR_PORT: port.default(4420),
  DAILY_BRIEF_PORT: port.default(4410),
  ENTRIES_PORT: port.default(3000),
};

// The worker is that of `lockstep dev`.
export const withoutWorkers = {
  OCR_WORKER_COUNT: "0",
  DAILY_BRIEF_WORKER: "separate",
  WEBSITE_ANALYSIS_WORKER: "separate",
  ENTRIES_WORKER: "separate",
};

const program = ["src/main.ts"];

export const appPages: readonly AppPage[] = [
  {
    app: "website-analysis",
    title: "Website analysis",
    port: "WEBSITE_ANALYSIS_PORT",
    name: "analysis page",
    says: /^analysis page +(http\S+)/m,
    program,
  },
  {
    app: "document-ocr",
    title: "Document OCR",
    port: "OCR_PORT",
    name: "upload page",
    says: /^upload page +(http\S+)/m,
    program,
  },
  {
    app: "daily-brief",
    title: "Daily brief",
    port: "DAILY_BRIEF_PORT",
    name: "page",
    says: /^page +(http\S+)/m,
    program,
  },
  {
    app: "entries",
    title: "Entries",
    port: "ENTRIES_PORT",
    ownPort: "PORT",
    name: "page",
    says: /Local: +(http\S+)/,
    program: ["src/start/main.ts", "start"],
    prepare: { program: ["src/start/main.ts", "build", "--if-changed"], says: "Building the pages" },
  },
];
