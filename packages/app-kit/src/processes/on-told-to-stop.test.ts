import { childProgram } from "@lockstep/test-support";
import { expect, test } from "vitest";

test("a process that is told twice stops once", async () => {
  const program = childProgram(`
    import { onToldToStop } from "@lockstep/app-kit/processes";
    const life = setInterval(() => {}, 60_000);
    onToldToStop(() => {
      console.log("stopping");
      setTimeout(() => clearInterval(life), 500);
    });
    console.log("ready");
  `);
  expect(await program.nextLine()).toBe("ready");
  program.kill("SIGTERM");
  expect(await program.nextLine()).toBe("stopping");
  program.kill("SIGINT");
  await expect(program.nextLine()).rejects.toThrow();
  expect(await program.ended).toMatchObject({ code: 0, signal: null });
});
