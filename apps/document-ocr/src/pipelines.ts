import { findDatabase } from "@lockstep/cli/find-database";
import { DocumentOcrApp } from "./document-ocr-app.ts";
import { readDocumentOcrConfig } from "./document-ocr-config.ts";

// biome-ignore lint/style/noProcessEnv: here the app is put together; nothing below it reads the environment.
const config = readDocumentOcrConfig(process.env);

export const documentOcr = new DocumentOcrApp(config, () => findDatabase(config, process.cwd())).pipeline;
