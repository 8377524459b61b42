import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeServer } from "../../test-support/targets.js";

describeServer("threads page", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    let saver: PostgresSaver;
    let inspector: RunningInspector;
    beforeAll(async () => {
      saver = new PostgresSaver((await target.createDatabase()).source);
      await saver.setup();
      inspector = await serveInspector(saver);
    });
    afterAll(async () => {
      await inspector.close();
      await saver.end();
    });

    it("lists the threads", async () => {
      await putValues(saver, threadConfig("<b>42</b>"), { plan: "A" });
      const page = await browser.openPage(inspector.url);
      await page.getByRole("link", { name: "<b>42</b>" }).waitFor();
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Threads");
    });
  });
});
