import { expect, test } from "vitest";
import { parseHtml } from "./html-document.ts";
import { pageLinks } from "./page-links.ts";

const linksOf = (html: string, url = "https://site.example/folder/page") =>
  pageLinks(parseHtml(`<html><head></head><body>${html}</body></html>`), url);

test("links are counted once each, by the base that the page names", () => {
  const { internal, external, list } = linksOf(`
    <base href="/other/"> <a href="a">A</a> <a href="a#part">again</a> <a href="https://else.example/">B</a>
    <a href="mailto:ada@site.example">mail</a>`);
  expect([internal, external]).toEqual([1, 1]);
  expect(list).toMatchObject([
    { url: "https://site.example/other/a", text: "A", isInternal: true },
    { url: "https://else.example/", text: "B", isInternal: false },
  ]);
});

test("a base that is longer than any link is not the base, so that it is not parsed with each of them", () => {
  const links = Array.from({ length: 2_000 }, (_, index) => `<a href="${index}">link</a>`).join("");
  const { internal, list } = linksOf(`<base href="/${"a".repeat(2_000_000)}/"> ${links}`);
  expect([internal, list[0]?.url]).toEqual([2_000, "https://site.example/folder/0"]);
});
