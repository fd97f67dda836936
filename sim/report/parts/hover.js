// The point of a plot that is nearest to the pointer shows its values; arrow keys go on to others.
{
  const FAR = 40; // pixels
  const tip = document.getElementById("tip");
  for (const plot of document.querySelectorAll(".plot")) {
    const svg = plot.querySelector("svg");
    const points = JSON.parse(plot.querySelector("script").textContent);
    const ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    ring.setAttribute("class", "near");
    ring.setAttribute("r", 7);
    let shown = -1;
    const hide = () => {
      ring.remove();
      tip.hidden = true;
    };
    const show = (place) => {
      const [x, y, words] = points[shown = place];
      ring.setAttribute("cx", x);
      ring.setAttribute("cy", y);
      svg.append(ring);
      tip.textContent = words;
      tip.hidden = false;
      const at = ring.getBoundingClientRect();
      const left = Math.min(at.right + 6, innerWidth - tip.offsetWidth - 6);
      tip.style.left = `${Math.max(6, left)}px`;
      tip.style.top = `${Math.max(6, at.top - tip.offsetHeight - 4)}px`;
    };
    const hover = (event) => {
      const turn = svg.getScreenCTM().inverse();
      const here = new DOMPoint(event.clientX, event.clientY).matrixTransform(turn);
      let [near, least] = [-1, FAR * turn.a];
      points.forEach(([x, y], place) => {
        const away = Math.hypot(x - here.x, y - here.y);
        if (away < least) [near, least] = [place, away];
      });
      if (near < 0) hide();
      else show(near);
    };
    svg.setAttribute("tabindex", 0);
    svg.addEventListener("pointermove", hover);
    svg.addEventListener("pointerdown", hover);
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("blur", hide);
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") hide();
      if (!step) return;
      event.preventDefault();
      show((shown + step + points.length) % points.length);
    });
  }
}
