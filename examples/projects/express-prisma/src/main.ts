import { createApp } from "./app.ts";
import { prisma } from "./database.ts";
import { engine } from "./jobs.ts";

await engine.migrate();
await engine.start(); // or in a process of its own
const http = createApp().listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () =>
  console.log("listening"),
);

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, async () => {
    http.close();
    await engine.stop(); // running jobs may finish
    await prisma.$disconnect();
  });
}
