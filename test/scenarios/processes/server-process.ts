import { type ChildProgram, childProgram, type TestDatabase } from "@lockstep/test-support";

export const tokenSecret = "a secret that all servers of a story share";

/** A server in a process of its own, at a port of this machine. */
export async function startServer(
  db: Pick<TestDatabase, "url">,
  port = 0,
): Promise<{
  readonly url: string;
  readonly port: number;
  kill: ChildProgram["kill"];
  readonly ended: Promise<unknown>;
}> {
  const program = childProgram(`
    import { createServer, listen } from "@lockstep/server";
    import { createEngine } from "lockstep";
    const engine = createEngine({
      databaseUrl: ${JSON.stringify(db.url)},
      tokenSecret: ${JSON.stringify(tokenSecret)},
      logger: null,
    });
    const server = createServer({
      engine,
      access: "loopback",
      streamsPerUser: 1_000,
      streamsInAll: 500,
      readsPerSecond: null,
      logger: null,
    });
    const listening = await listen(server, { port: ${port} });
    console.log(JSON.stringify({ url: listening.url, port: listening.port }));
  `);
  const { url, port: taken } = await program.nextValue<{ url: string; port: number }>();
  return { url, port: taken, kill: program.kill, ended: program.ended };
}
