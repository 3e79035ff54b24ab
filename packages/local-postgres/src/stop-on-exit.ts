import type { ServerProcess } from "./server-process.ts";

const servers = new Set<ServerProcess>();
let isListening = false;

/** Sends the server its stop signal when this process exits in the ordinary way. Returns a way to forget it. */
export function stopOnExit(server: ServerProcess): () => void {
  if (!isListening) {
    isListening = true;
    process.on("exit", () => {
      for (const running of servers) running.interrupt();
    });
  }
  servers.add(server);
  return () => void servers.delete(server);
}
