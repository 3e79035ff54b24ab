import { type Listening, listen } from "@lockstep/server";
import { createEngine, type Engine } from "lockstep";
import { briefServer, newTokenSecret } from "../brief-server.ts";
import { DailyBriefApp } from "../daily-brief-app.ts";
import { readDailyBriefConfig } from "../daily-brief-config.ts";
import { type MailServer, startMailServer } from "./mail-server.ts";

export interface BriefSite {
  readonly app: DailyBriefApp;
  readonly engine: Engine;
  readonly mail: MailServer;
  listening: Listening;
  stop(): Promise<void>;
}

/** The whole app with its example people and a real mail server, working and listening. */
export async function startBriefSite(
  databaseUrl: string,
  env: Record<string, string> = {},
): Promise<BriefSite> {
  const mail = await startMailServer();
  const config = readDailyBriefConfig({ SMTP_URL: mail.url, MAIL_FROM: "brief@example.com", ...env });
  const app = new DailyBriefApp(config, async () => databaseUrl, { withExamples: true });
  const pipelines = Object.values(app.pipelines);
  const engine = createEngine({ databaseUrl, pipelines, logger: null, tokenSecret: newTokenSecret() });
  app.addWith(engine);
  await app.database.prepare();
  await engine.start();
  const site: BriefSite = {
    ...{ app, engine, mail },
    listening: await listen(briefServer({ engine, app }), { port: 0 }),
    stop: async () => {
      await site.listening.stop();
      await engine.stop();
      await app.close();
      await mail.stop();
    },
  };
  return site;
}
