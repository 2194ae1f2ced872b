import { describe, expect, it } from "vitest";
import {
  type Axis,
  around,
  draggedTo,
  dropped,
  fitting,
  followed,
  grabbed,
  marked,
  momentAt,
  movedBy,
  openedTo,
  selecting,
  wheeled,
  zoomedAt,
} from "./interaction";

/** 100 to 200 of 1000 ns, 1 ns a pixel. */
const axis: Axis = { window: { from: 100, to: 200 }, bounds: { from: 0, to: 1000 }, width: 100 };
const wheel = { deltaX: 0, deltaY: 0, deltaMode: 0, shiftKey: false };
const left = { button: 0, shiftKey: false, pointerType: "mouse" };

/** A button that is pressed at one pixel, moved to another, and let go. */
function drag(pointer: typeof left, from: number, to: number, onRuler = false) {
  const begun = grabbed(axis, pointer, from, onRuler);
  if (!begun) {
    return null;
  }
  const on = draggedTo(axis, begun, to);
  return { ...on, dropped: dropped(on.drag) };
}

describe("zooming and moving", () => {
  it("keeps the moment under the pointer, or that in the middle", () => {
    expect(zoomedAt(axis, 0.5, 20)).toEqual({ from: 110, to: 160 });
    expect(zoomedAt(axis, 0.5)).toEqual({ from: 125, to: 175 });
    expect(momentAt(axis, -50)).toBe(100);
    expect(momentAt(axis, 1000)).toBe(200);
  });

  it("ends at the session's ends", () => {
    expect(zoomedAt(axis, 50)).toEqual(axis.bounds);
    expect(movedBy(axis, 0.15)).toEqual({ from: 115, to: 215 });
    expect(movedBy(axis, -2)).toEqual({ from: 0, to: 100 });
  });
});

describe("the wheel", () => {
  it("zooms at the pointer: up shows less; a line counts as 24 pixels", () => {
    const up = wheeled(axis, { ...wheel, deltaY: -240 }, 20);
    expect(up).toEqual({ window: zoomedAt(axis, 1.0015 ** -240, 20) });
    expect(wheeled(axis, { ...wheel, deltaY: -10, deltaMode: 1 }, 20)).toEqual(up);
  });

  it("pans sideways, with shift too", () => {
    expect(wheeled(axis, { ...wheel, deltaX: 30, deltaY: 10 }, 20)).toEqual({ window: { from: 130, to: 230 } });
    expect(wheeled(axis, { ...wheel, deltaX: 30, shiftKey: true }, 20)).toEqual({ window: { from: 130, to: 230 } });
  });

  it("scrolls the lanes with shift", () => {
    expect(wheeled(axis, { ...wheel, deltaY: 40, shiftKey: true }, 20)).toEqual({ scroll: 40 });
  });
});

describe("a drag", () => {
  it("chooses a range when it is let go, from either side", () => {
    expect(drag(left, 20, 60)?.dropped).toEqual({ range: { from: 120, to: 160 } });
    expect(drag(left, 60, 20)?.dropped).toEqual({ range: { from: 120, to: 160 } });
    expect(drag(left, 60, 20)?.change).toEqual({});
  });

  it("shows the range before", () => {
    expect(selecting(drag(left, 20, 60)?.drag ?? null)).toEqual({ from: 120, to: 160 });
    expect(selecting(null)).toBeNull();
  });

  it("is a click within three pixels, until it was farther away once", () => {
    expect(drag(left, 20, 23)?.dropped).toEqual({});
    const far = drag(left, 20, 60);
    const back = far && draggedTo(axis, far.drag, 21);
    expect(back && dropped(back.drag)).toEqual({ range: { from: 120, to: 121 } });
  });

  it("pans with shift, the middle button and a finger, from the window at its begin", () => {
    for (const pointer of [
      { ...left, shiftKey: true },
      { ...left, button: 1 },
      { ...left, pointerType: "touch" },
    ]) {
      const panned = drag(pointer, 60, 20);
      expect(panned?.change).toEqual({ window: { from: 140, to: 240 } });
      expect(panned?.dropped).toEqual({});
      const moved = { ...axis, window: { from: 140, to: 240 } };
      expect(panned && draggedTo(moved, panned.drag, 10).change).toEqual({ window: { from: 150, to: 250 } });
    }
  });

  it("measures on the ruler; a click there removes the cursors", () => {
    expect(drag(left, 20, 60, true)?.change).toEqual({ measure: { a: 120, b: 160 } });
    expect(drag(left, 20, 60, true)?.dropped).toEqual({});
    expect(drag(left, 20, 20, true)?.dropped).toEqual({ measure: null });
  });

  it("does not begin with the right button", () => {
    expect(drag({ ...left, button: 2 }, 20, 60)).toBeNull();
  });
});

describe("cursors", () => {
  it("are set one after the other, and removed by the third mark", () => {
    const first = marked(null, 120.4);
    expect(first).toEqual({ a: 120, b: 120 });
    const both = marked(first, 150);
    expect(both).toEqual({ a: 120, b: 150 });
    expect(marked(both, 170)).toBeNull();
  });
});

describe("the window", () => {
  it("goes to the selected call with room around it, then to the range", () => {
    const range = { from: 300, to: 500 };
    expect(fitting(axis, { begin: 140, end: 160 }, range)).toEqual({ from: 139, to: 161 });
    expect(fitting({ ...axis, window: { from: 139, to: 161 } }, { begin: 140, end: 160 }, range)).toEqual(range);
    expect(fitting(axis, undefined, null)).toBeNull();
    expect(around({ from: 0, to: 100 }, axis.bounds)).toEqual({ from: 0, to: 105 });
  });

  it("follows a call that is out of sight, and stays for others", () => {
    expect(followed(axis, { begin: 290, end: 310 })).toEqual({ from: 250, to: 350 });
    expect(followed(axis, { begin: 190, end: 310 })).toBeNull();
  });

  it("opens short calls, even those that took no time", () => {
    expect(openedTo({ begin: 500, end: 600 }, axis.bounds)).toEqual({ from: 490, to: 610 });
    expect(openedTo({ begin: 500, end: 500 }, axis.bounds)).toEqual({ from: 500, to: 520 });
  });
});
