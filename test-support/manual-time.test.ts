import { it } from "@jest/globals";
import { ManualTime } from "./manual-time.js";

it("a timer that was set before goes on with the real time", async () => {
  const fired = new Promise<void>((resolve) => {
    setTimeout(() => setTimeout(resolve, 1), 1);
  });
  const time = new ManualTime();
  time.start();
  await fired;
  time.stop();
});
