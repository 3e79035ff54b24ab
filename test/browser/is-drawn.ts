import type { Page } from "@playwright/test";

/** Ends when the page has its title, and nothing on it is a placeholder any more. */
export async function isDrawn(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
}
