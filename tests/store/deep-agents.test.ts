import { expect, it } from "@jest/globals";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { StoreBackend } from "deepagents";
import { describeAnyTarget } from "../../test-support/targets.js";
import { useStore } from "./stored.js";

describeAnyTarget("the files of deepagents", (target) => {
  const suite = useStore(target);
  const open = (user = "ada") => new StoreBackend({ store: suite.store, namespace: ["files", user] });

  it("are written, read, edited and found", async () => {
    const files = open();
    await files.write("/notes/tea.md", "# Tea\nAda likes green tea.\n");
    await files.write("/notes/food/pizza.md", "# Pizza\n");
    await files.write("/plan_1%.txt", "buy tea");
    await files.write("/plan_1%.txt", "buy green tea");
    expect(await files.read("/notes/tea.md", 1, 1)).toMatchObject({ content: "Ada likes green tea." });
    expect(await files.edit("/notes/tea.md", "green", "black")).toMatchObject({ occurrences: 1 });
    expect(await files.read("/notes/tea.md")).toMatchObject({ content: "# Tea\nAda likes black tea.\n" });
    expect(await files.read("/absent")).toMatchObject({ error: "File '/absent' not found" });
    expect((await files.ls("/")).files?.map(({ path }) => path)).toEqual(["/notes/", "/plan_1%.txt"]);
    expect((await files.ls("/notes")).files).toMatchObject([
      { path: "/notes/food/", is_dir: true },
      { path: "/notes/tea.md", is_dir: false, size: 27 },
    ]);
    expect((await files.grep("tea")).matches?.map(({ path, line }) => [path, line])).toEqual(
      expect.arrayContaining([
        ["/notes/tea.md", 2],
        ["/plan_1%.txt", 1],
      ]),
    );
    expect((await files.glob("**/*.md")).files?.map(({ path }) => path).sort()).toEqual([
      "/notes/food/pizza.md",
      "/notes/tea.md",
    ]);
  });

  it("keep their bytes", async () => {
    const files = open();
    const bytes = Uint8Array.from({ length: 256 }, (_, nth) => nth);
    await files.uploadFiles([
      ["/image.png", bytes],
      ["/text.txt", new TextEncoder().encode("Zürich")],
    ]);
    expect((await files.read("/image.png")).content).toEqual(bytes);
    const downloaded = await files.downloadFiles(["/image.png", "/text.txt"]);
    expect(downloaded.map(({ content }) => content && Uint8Array.from(content))).toEqual([
      bytes,
      Uint8Array.from(new TextEncoder().encode("Zürich")),
    ]);
    expect((await files.ls("/")).files?.find(({ path }) => path === "/image.png")).toMatchObject({
      size: 256,
    });
  });

  it("are in the store of the graph that works on them", async () => {
    const graph = new StateGraph(Annotation.Root({ read: Annotation<unknown> }))
      .addNode("work", async () => {
        const files = new StoreBackend({ namespace: ["files", "ada"] });
        await files.write("/memories/tea.md", "green");
        await files.edit("/memories/tea.md", "green", "black");
        return { read: (await files.read("/memories/tea.md")).content };
      })
      .addEdge(START, "work")
      .compile({ store: suite.store });
    expect(await graph.invoke({})).toEqual({ read: "black" });
    expect(await open().read("/memories/tea.md")).toMatchObject({ content: "black" });
  });

  it("are listed and deleted as a whole, however many pages they have", async () => {
    const [files, others] = [open("ada"), open("ada2")];
    const paths = Array.from({ length: 230 }, (_, nth) => `/many/${nth}.txt`);
    await files.uploadFiles(paths.map((path): [string, Uint8Array] => [path, new Uint8Array([65])]));
    await files.write("/many.txt", "kept");
    await others.write("/many/0.txt", "of another user");
    expect((await files.ls("/many")).files?.map(({ path }) => path).sort()).toEqual([...paths].sort());
    await files.delete("/many");
    expect((await files.ls("/")).files?.map(({ path }) => path)).toEqual(["/many.txt"]);
    expect(await others.read("/many/0.txt")).toMatchObject({ content: "of another user" });
  });
});
