import { expect, test } from "vitest";
import { pageFacts } from "./page-facts.ts";

const factsOf = (html: string) => pageFacts({ url: "https://site.example/", headers: {}, html });

const minified = `<!doctype html><html lang=en><head><title>Fernhill</title></head><body><nav><a href=/a>Home</a><a href=/b>Shop</a></nav><main><h1>Bread<span> and</span><br>cake</h1><div>Baked every day</div>Every Fernhill loaf rests.<ul><li>Rye</li><li>Oat</li></ul><table><tr><td>Rye loaf</td><td>4 €</td></tr></table><p>A <b>b</b>old w<i>or</i>d stays whole.</p><custom-note>One note</custom-note><custom-note>Another</custom-note></main></body></html>`;

test("block elements part words where the source has no space, and inline elements do not", () => {
  const { mainText, headings, blocks, links } = factsOf(minified);
  expect(mainText).toContain("Baked every day\nEvery Fernhill loaf rests.\nRye\nOat\nRye loaf\n4 €");
  expect(mainText).toContain("A bold word stays whole.\nOne note\nAnother");
  expect(headings).toEqual([{ level: 1, text: "Bread and cake" }]);
  expect(links.list.map(({ text }) => text)).toEqual(["Home", "Shop"]);
  expect(blocks[0]).toMatchObject({ text: "Home Shop", isAround: true });
  expect(blocks.filter(({ kind }) => kind === "item").map(({ text }) => text)).toEqual(["Rye", "Oat"]);
  expect(blocks.filter(({ kind }) => kind === "cell").map(({ text }) => text)).toEqual(["Rye loaf", "4 €"]);
});

test("what Readability finds in a long minified page keeps its words apart too", () => {
  const paragraph = "The mill turns every day and grinds rye, oat and wheat for the bakers of the valley";
  const html = `<html><body><nav><a href=/a>Menu</a></nav><article>${`<div><p>${paragraph}</p><p>Every Fernhill loaf rests</p></div>`.repeat(12)}</article></body></html>`;
  const { mainText } = factsOf(html);
  expect(mainText).toContain(`${paragraph}\nEvery Fernhill loaf rests`);
  expect(mainText).not.toContain("Menu");
  expect(mainText).not.toContain("restsThe");
  expect(mainText).not.toContain("valleyEvery");
});
