import { expect, it } from "@jest/globals";
import { parameterTypes, replacePlaceholders } from "./statement.js";

const TEXT = `select $2::text[], '$1::jsonb ''$1', $1 from "a$1::bytea[]" where "b""$1" = $3::integer and $1::jsonb = $1::text`;

it("are the first casts, and are not found in names and texts", () => {
  expect(parameterTypes(TEXT)).toEqual(["jsonb", "text[]", "integer"]);
});

it("are replaced with their placeholders, each where it stands", () => {
  expect(replacePlaceholders(TEXT, (_placeholder, index, type) => `<${index} ${type ?? "none"}>`)).toBe(
    `select <1 text[]>, '$1::jsonb ''$1', <0 none> from "a$1::bytea[]" where "b""$1" = <2 integer> and <0 jsonb> = <0 text>`,
  );
});
