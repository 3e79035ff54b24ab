import { testDatabase } from "@lockstep/test-support";
import { definePipeline } from "lockstep";
import { expect, test } from "vitest";
import { z } from "zod";
import { complaintsOf, describeInBrowser, seen, storyBrowser } from "./browser.ts";
import { consoleSite } from "./console-site.ts";

const mailing = definePipeline("mailing", {
  payload: z
    .object({
      to: z.string(),
      password: z.string().optional(),
      server: z.object({ url: z.string(), retries: z.int() }).optional(),
      lists: z.array(z.string()).optional(),
    })
    .superRefine(({ to }, context) => {
      if (to === "nobody")
        context.addIssue({ code: "custom", path: ["account", "id"], message: "is closed" });
      if (to === "lists") context.addIssue({ code: "custom", path: ["lists"], message: "are too few" });
    }),
}).stage("send", async () => "sent");

describeInBrowser("the form for a new job", () => {
  const db = testDatabase();
  const browser = storyBrowser();
  const site = () => consoleSite(db, { engine: { pipelines: [mailing] } });

  test("a job added again has none of the marks that stand for hidden values, and the form says what it lacks", async () => {
    const { url, engine } = await site();
    const server = { url: "smtp://me:p/w@mail.example", retries: 2 };
    const { id } = await engine.add(mailing, { to: "ada", password: "hunter2", server });
    const page = await browser.open(`${url}/jobs/${id}`);
    const complaints = complaintsOf(page);
    await seen(page.getByText("[redacted]").first()).toBeVisible();
    await page.getByRole("button", { name: "Add again with changes" }).click();
    const dialog = page.getByRole("dialog");
    await seen(dialog.getByText("Hidden values were not copied")).toBeVisible();
    await seen(dialog.getByRole("listitem")).toHaveText(["/server/url", "/password"]);
    await seen(dialog.getByRole("textbox", { name: "Password" })).toHaveValue("");
    await dialog.getByRole("textbox", { name: "Url" }).fill("smtp://mail.example");
    await dialog.getByRole("button", { name: "Add job" }).click();
    await seen(page.getByRole("region", { name: "Messages" }).getByText("Job added")).toBeVisible();

    const stored = await db.query("select payload from lockstep.jobs where id <> $1", [id]);
    expect(stored).toEqual([{ payload: { to: "ada", server: { url: "smtp://mail.example", retries: 2 } } }]);
    expect(complaints).toEqual([]);
  });

  test("whatever the server refuses is said: by its field, by its option, or below them all", async () => {
    const { url, engine } = await site();
    await engine.add(mailing, { to: "first" });
    const page = await browser.open(`${url}/jobs`);
    await page.getByRole("button", { name: "Add job" }).first().click();
    const dialog = page.getByRole("dialog");
    const add = dialog.getByRole("button", { name: "Add job" });
    const to = dialog.getByRole("textbox", { name: "To" });
    await to.fill("nobody");
    await add.click();
    await seen(dialog.getByRole("alert")).toHaveText("/account/id is closed");
    await to.fill("lists");
    await add.click();
    await seen(dialog.getByRole("group", { name: "Lists" }).getByText("are too few")).toBeVisible();
    await seen(dialog.getByRole("alert")).toHaveCount(0);

    await to.fill("ada");
    await dialog.getByText("Options").click();
    await dialog.getByLabel("Priority").fill("99");
    await dialog.getByText("Options").click();
    await seen(dialog.getByLabel("Priority")).toBeHidden();
    await add.click();
    await seen(dialog.getByText(/Too big/)).toBeInViewport();
    await seen(dialog.getByLabel("Priority")).toBeFocused();
  });

  test("a message is before an open dialog, and can be put away", async () => {
    const { url, engine, stop } = await site();
    await engine.add(mailing, { to: "first" });
    const page = await browser.open(`${url}/jobs`);
    await page.getByRole("button", { name: "Add job" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "To" }).fill("ada");
    await stop();
    await dialog.getByRole("button", { name: "Add job" }).click();
    const message = page.getByRole("alert").filter({ hasText: "The server does not answer" });
    await seen(message).toBeVisible();
    // Pressed with the mouse: what the dialog covers could not be.
    await message.getByRole("button", { name: "Dismiss" }).click();
    await seen(message).toHaveCount(0);
    await seen(dialog.getByRole("textbox", { name: "To" })).toHaveValue("ada");
  });
});
