// Plays an animation: members that arrive and are released, and what moves between them, frame by frame.
{
  const SVG = "http://www.w3.org/2000/svg";
  const PACE = 3; // frames a second at speed 1
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const make = (parent, name, attributes) => {
    const made = document.createElementNS(SVG, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    return parent.appendChild(made);
  };

  for (const player of document.querySelectorAll(".player")) {
    const find = (what) => player.querySelector(what);
    const animation = JSON.parse(find("script").textContent);
    const [before, arrived, released] = animation.words;
    const stage = find(".stage svg"), dots = find(".dots"), slide = find(".slide");
    const links = [...find(".links").children], spots = [...find(".spots").children];
    const names = spots.map((spot) => spot.querySelector("title").textContent);
    const lengths = new Map();
    const frames = new Map(); // the moves of each frame
    for (const move of animation.moves) {
      if (!frames.has(move[0])) frames.set(move[0], []);
      frames.get(move[0]).push(move);
    }
    let now = animation.first, shown = 0, playing = false, since = 0, phase = 0.5;

    spots.forEach((spot) => spot.classList.toggle("labelled", !!spot.querySelector("text")));

    const along = (path, part) => {
      // A place and direction on links one after the other, `part` of their length from the beginning.
      const long = path.map((link) => {
        if (!lengths.has(link)) lengths.set(link, links[link].getTotalLength());
        return lengths.get(link);
      });
      let rest = part * long.reduce((sum, length) => sum + length, 0), place = 0;
      while (place < path.length - 1 && rest > long[place]) rest -= long[place++];
      const link = links[path[place]], begin = Math.min(rest, long[place] - 1);
      const [at, ahead] = [link.getPointAtLength(begin), link.getPointAtLength(begin + 1)];
      const turn = (Math.atan2(ahead.y - at.y, ahead.x - at.x) * 180) / Math.PI;
      return `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)}) rotate(${turn.toFixed()})`;
    };

    const drawDots = () => {
      const moves = frames.get(now) || [];
      while (dots.children.length > moves.length) dots.lastChild.remove();
      moves.forEach(([, path, kind, cast], place) => {
        const dot = dots.children[place] || make(dots, "path", { d: "M7 0L-4 5.5L-4 -5.5Z" });
        const own = cast === shown;
        dot.setAttribute("transform", `${along(path, phase)} scale(${own ? 1 : 0.6})`);
        dot.style.fill = animation.kinds[kind][1];
        dot.style.opacity = own || cast < 0 ? 1 : 0.5;
      });
    };

    const drawLinks = () => {
      links.forEach((link) => link.removeAttribute("class"));
      for (const [time, path, kind, cast] of animation.moves) {
        if (time > now) break;
        const mark = animation.kinds[kind][2];
        if (cast !== shown || (time < now && mark !== "lasting") || mark === "none") continue;
        for (const link of path) {
          links[link].setAttribute("class", time < now ? "lit old" : "lit");
          links[link].style.setProperty("--mark", animation.kinds[kind][1]);
        }
      }
    };

    const drawSpots = () => {
      const cast = animation.casts[shown], count = { arrived: 0, released: 0 };
      spots.forEach((spot) => spot.classList.remove("member", "arrived", "released", "root"));
      cast.members.forEach((member, place) => {
        const [came, went] = [cast.arrivals[place], cast.releases[place]];
        const free = went !== null && went <= now, here = came !== null && came <= now;
        const list = spots[member].classList;
        list.add("member");
        if (free) list.add("released");
        else if (here) list.add("arrived");
        count.released += free;
        count.arrived += here;
        const words = [names[member], free ? released : here ? arrived : before];
        if (here) words.push(`${arrived} in ${animation.unit} ${came}`);
        if (free) words.push(`${here ? released : "done"} in ${animation.unit} ${went}`);
        spots[member].querySelector("title").textContent = words.join("\n");
      });
      if (cast.root !== null) spots[cast.root].classList.add("root");
      const all = cast.members.length, moving = (frames.get(now) || []).length;
      const parts = arrived ? [`${count.arrived} of ${all} ${arrived}`] : [];
      parts.push(`${count.released} of ${all} ${arrived ? released : "done"}`, `${moving} moving`);
      find(".status").textContent = parts.join(" · ");
    };

    const draw = () => {
      drawSpots();
      drawLinks();
      drawDots();
      slide.value = now;
      find(".now").textContent = `${animation.unit} ${now} of ${animation.last}`;
      slide.setAttribute("aria-valuetext", find(".now").textContent);
      find(".cursor").setAttribute("x", ((now - animation.first) * 600) / width);
    };

    const width = animation.last - animation.first + 1; // frames
    const goTo = (frame) => {
      now = Math.max(animation.first, Math.min(animation.last, frame));
      draw();
    };
    const stop = () => {
      playing = false;
      phase = 0.5;
      find(".go").textContent = "▶ play";
      find(".go").setAttribute("aria-label", "play");
      drawDots();
    };
    const tick = (time) => {
      if (!playing) return;
      const pace = PACE * find(".speed").value, passed = ((time - since) / 1000) * pace;
      if (passed >= 1) {
        since = time;
        goTo(now + Math.max(1, Math.min(4, Math.floor(passed))));
        if (now === animation.last) return stop();
      }
      if (!calm.matches) {
        phase = Math.min(1, ((time - since) / 1000) * pace);
        drawDots();
      }
      requestAnimationFrame(tick);
    };
    const start = () => {
      if (now === animation.last) goTo(animation.first);
      playing = true;
      phase = calm.matches ? 0.5 : 0;
      since = performance.now();
      find(".go").textContent = "❚❚ pause";
      find(".go").setAttribute("aria-label", "pause");
      requestAnimationFrame(tick);
    };
    const acts = {
      first: () => (stop(), goTo(animation.first)),
      last: () => (stop(), goTo(animation.last)),
      back: () => (stop(), goTo(now - 1)),
      next: () => (stop(), goTo(now + 1)),
      play: () => (playing ? stop() : start()),
    };
    const keys = { " ": "play", ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };

    for (const button of player.querySelectorAll("[data-do]")) {
      button.addEventListener("click", acts[button.dataset.do]);
    }
    stage.addEventListener("keydown", (event) => {
      if (!(event.key in keys)) return;
      event.preventDefault();
      acts[keys[event.key]]();
    });
    Object.assign(slide, { min: animation.first, max: animation.last, step: 1 });
    slide.addEventListener("input", () => (stop(), goTo(Number(slide.value))));

    const times = find(".times"), most = Math.max(1, ...[...frames.values()].map((m) => m.length));
    for (const [frame, moves] of frames) {
      let top = 34;
      animation.kinds.forEach(([, ink], kind) => {
        const height = (moves.filter((move) => move[2] === kind).length / most) * 32;
        if (!height) return;
        const x = ((frame - animation.first) * 600) / width, y = (top -= height);
        make(times, "rect", { x, y, width: 540 / width, height }).style.fill = ink;
      });
    }
    const mark = { class: "cursor", y: 0, width: 600 / width, height: 34, opacity: 0.18 };
    make(times, "rect", mark).style.fill = "var(--link)";

    const legend = (words, style) => {
      const entry = document.createElement("li"), sign = document.createElement("i");
      Object.assign(sign.style, style);
      entry.append(sign, words);
      find(".legend").append(entry);
    };
    legend(before, { borderColor: "var(--grey)" });
    if (arrived) legend(arrived, { background: "var(--up)" });
    legend(released, { background: "var(--down)" });
    if (animation.casts.some((cast) => cast.root !== null)) {
      legend("root", { borderColor: "var(--root)" });
    }
    if (animation.casts.length > 1) {
      legend("small: of other groups", { background: "var(--grey)", transform: "scale(.5)" });
    }
    if (animation.kinds.length <= 12) {
      animation.kinds.forEach(([words, ink]) => legend(words, { background: ink, transform: "scale(.8)" }));
    }

    if (animation.casts.length > 1) {
      const choose = find(".choose");
      choose.hidden = false;
      animation.casts.forEach((cast, place) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = `${cast.name} · ${cast.members.length} members`;
        button.setAttribute("aria-pressed", place === shown);
        button.addEventListener("click", () => {
          choose.children[shown].setAttribute("aria-pressed", false);
          choose.children[shown = place].setAttribute("aria-pressed", true);
          draw();
        });
        choose.append(button);
      });
    }
    draw();
  }
}
