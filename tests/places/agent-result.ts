/** What the agent returns where everything works. */
export const AGENT_RESULT = JSON.stringify({
  asked: ["Go on?"],
  resumed: ["start", "planned", "heard yes"],
  history: ["", "ask", "plan", "__start__"],
  forked: ["start", "planned", "edited", "heard no"],
  isWhole: true,
  remembered: [{ key: "no", answer: "no" }],
  left: {},
});
