import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { PLACES } from "../places/places.js";
import { PAGE } from "../places/report/render-page.js";

it("docs/places.md lists each trial of each place, and no other; npm run test:places writes it", () => {
  const rows = readFileSync(PAGE, "utf8").matchAll(/^\|([^|]+)\|[^|]*\|([^|]+)\|[^|]*\|$/gm);
  const listed = [...rows].map(([, place = "", trial = ""]) => `${place.trim()}, ${trial.trim()}`);
  const tried = PLACES.flatMap(({ name, trials }) => Object.keys(trials).map((trial) => `${name}, ${trial}`));
  expect(listed.filter((row) => !/^(?:where|-+), /.test(row)).sort()).toEqual(tried.sort());
});
