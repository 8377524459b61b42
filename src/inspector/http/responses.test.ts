import { expect, it } from "@jest/globals";
import { finishAnswer, refusal } from "./responses.js";

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Inspector</title>
  </head>
  <body>
    <main>
      <h1>The inspector does not show this</h1>
      <p>No &#60;b&#62; &#38; &#34;c&#34;.</p>
      <p>WRONG</p>
    </main>
  </body>
</html>
`;
const JSON_TEXT = '{"error":{"code":"WRONG","message":"no <b> & \\"c\\""}}';
const NAVIGATION = { "sec-fetch-mode": "navigate" };

it.each<[method: string, headers: Record<string, string>, isPage: boolean]>([
  ["GET", NAVIGATION, true],
  ["HEAD", NAVIGATION, true],
  ["POST", NAVIGATION, false],
  ["GET", { accept: "text/html,*/*" }, true],
  ["POST", { accept: "text/html" }, false],
  ["GET", { accept: "application/json" }, false],
  ["GET", {}, false],
  ["GET", { ...NAVIGATION, "sec-fetch-mode": "cors", accept: "text/html" }, false],
])("%s with %j is refused by a page: %j", async (method, headers, isPage) => {
  const request = new Request("http://localhost/", { method, headers });
  for (const status of [400, 500]) {
    const answer = await finishAnswer(request, refusal(status, "WRONG", 'no <b> & "c"', { allow: "PUT" }));
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("allow")]).toEqual([
      status,
      isPage ? "text/html; charset=utf-8" : "application/json",
      "PUT",
    ]);
    expect(answer.headers.get("x-frame-options")).toBe("DENY");
    expect(await answer.text()).toBe(isPage ? PAGE : JSON_TEXT);
  }
});

it("what is not refused stays as it is", async () => {
  const request = new Request("http://localhost/", { headers: NAVIGATION });
  const answer = await finishAnswer(request, Response.json({ found: 1 }, { status: 399 }));
  expect([answer.status, await answer.json()]).toEqual([399, { found: 1 }]);
});
