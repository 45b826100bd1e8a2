// What people do: keys, mouse, fingers, and the loop of frames.
const PLAY = '<svg viewBox="0 0 16 16"><path d="M3 1.5v13L14 8z"/></svg>', PAUSE = '<svg viewBox="0 0 16 16"><path d="M3 2h4v12H3zM9 2h4v12H9z"/></svg>';
function say() {
  const values = plots.map(plot => plot.list.map(k => `${scene.columns[k].n} ${written(at(k))} ${scene.columns[k].u}`).join(', '));
  find('#say').textContent = `t = ${now.toFixed(scene.digits)} s. ${values.join('; ')}`;
}
function mark() {
  find('#play').innerHTML = playing ? PAUSE : PLAY;
  find('#play').setAttribute('aria-label', playing ? 'pause' : 'play');
}
function stop() {
  playing = false;
  source.pause();
  mark();
  say();
}
function start() {
  source.play();
  playing = true;
  mark();
}
function step(k) {  // from row to row; the two rows of an event are one step
  stop();
  let next = clamp(row + (part > 0.5 ? 1 : 0) + k, 0, scene.rows - 1);
  if (part > 0 && part <= 0.5 && k > 0) next = clamp(row + k, 0, scene.rows - 1);
  while (next > 0 && next < scene.rows - 1 && time[next] === now) next += Math.sign(k);
  seek(time[next]);
}
function nextEvent() {
  stop();
  const next = scene.events.find(t => t > now + 1e-12 * Math.abs(scene.t1));
  if (next !== undefined) seek(next);
}
function toggle(what) {
  show[what] = !show[what];
  stale = true;
  for (const chip of document.querySelectorAll('#chips button')) if (chip.dataset.what === what) chip.setAttribute('aria-pressed', show[what]);
}
function pace(k) {
  const list = find('#speed');
  list.selectedIndex = clamp(list.selectedIndex + k, 0, list.length - 1);
  list.dispatchEvent(new Event('change'));
}
function toStart() {
  stop();
  seek(scene.t0);
}
function toEnd() {
  stop();
  seek(source.newest());
}
function changeTheme() {
  root.dataset.theme = dark() ? 'light' : 'dark';
  stale = true;
}
function save() {
  const canvas = document.createElement('canvas'), pen = canvas.getContext('2d');
  canvas.width = view.width;
  canvas.height = view.height;
  render();
  pen.fillStyle = css('--stage');
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(view, 0, 0);
  pen.drawImage(over, 0, 0);
  canvas.toBlob(blob => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = `${scene.name} ${now.toFixed(scene.digits)} s.png`;
    link.click();
  });
}
const KEYS = [
  ['space', 'play, pause', () => playing ? stop() : start()],
  ['ArrowLeft', 'a step back (with shift: 10)', e => step(e.shiftKey ? -10 : -1)],
  ['ArrowRight', 'a step on (with shift: 10)', e => step(e.shiftKey ? 10 : 1)],
  ['Home', 'to the start', toStart],
  ['End', 'to the end', toEnd],
  ['[', 'slower', () => pace(-1)],
  [']', 'faster', () => pace(1)],
  ['e', 'to the next event', nextEvent],
  ['+', 'nearer', () => zoom(1.25, width / 2, height / 2)],
  ['-', 'farther', () => zoom(0.8, width / 2, height / 2)],
  ['f', 'fit', () => fit()],
  ['n', 'names', () => toggle('names')],
  ['r', 'forces', () => toggle('forces')],
  ['t', 'traces', () => toggle('traces')],
  ['j', 'joints', () => toggle('joints')],
  ['c', 'mass centres', () => toggle('centres')],
  ['i', 'inertia: circles of gyration', () => toggle('inertia')],
  ['g', 'grid', () => toggle('grid')],
  ['l', 'repeat', () => find('#repeat').click()],
  ['d', 'light, dark', changeTheme],
  ['s', 'save a picture', save],
  ['?', 'this list', () => find('#help').showModal()],
  ...VIEWS,
];
function listen() {
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('select') || find('#help').open) return;
    const key = event.key === ' ' ? 'space' : event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === 'space' && event.target.matches('button, input[type=checkbox]')) return;
    const found = KEYS.find(each => each[0] === key);
    if (found) {
      found[2](event);
      event.preventDefault();
    }
  });
  find('#play').onclick = () => playing ? stop() : start();
  find('#back').onclick = () => step(-1);
  find('#on').onclick = () => step(1);
  find('#repeat').onclick = () => {
    repeating = !repeating;
    find('#repeat').setAttribute('aria-pressed', repeating);
  };
  find('#time').oninput = event => {
    stop();
    seek(scene.t0 + (scene.t1 - scene.t0) * event.target.value);
  };
  find('#keys').onclick = () => find('#help').showModal();
  find('#close').onclick = () => find('#help').close();
  find('#theme').onclick = changeTheme;
  find('#save').onclick = save;
  find('#speed').onchange = event => speed = +event.target.value;
  listenToPointers();
  addEventListener('beforeprint', () => {
    root.dataset.was = root.dataset.theme;
    root.dataset.theme = 'light';
    size();
    render();
  });
  addEventListener('afterprint', () => {
    root.dataset.theme = root.dataset.was;
    size();
  });
  new ResizeObserver(() => {
    const small = width < 2, fits = source.fits();
    size();
    if (small || fits) fit();
    render();
  }).observe(find('#stage'));
}
function listenToPointers() {
  const pointers = new Map();
  view.onpointerdown = event => {
    view.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    view.focus();
  };
  view.onpointerup = view.onpointercancel = event => pointers.delete(event.pointerId);
  view.onpointermove = event => {
    const before = pointers.get(event.pointerId), here = [event.offsetX, event.offsetY];
    if (!before) return point_at(...here);
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    pointers.set(event.pointerId, here);
    if (other) {
      const far = p => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
      zoom(far(here) / far(before), (here[0] + other[0]) / 2, (here[1] + other[1]) / 2);
    } else drag(here[0] - before[0], here[1] - before[1], event.shiftKey || event.buttons > 1);
    stale = true;
  };
  view.onwheel = event => {
    event.preventDefault();
    zoom(Math.exp(-0.0015 * event.deltaY), event.offsetX, event.offsetY);
  };
  view.ondblclick = () => fit();
  view.oncontextmenu = event => event.preventDefault();
  view.onpointerleave = () => point_at(-1e6, -1e6);
}
function point_at(x, y) {
  const frame = under(x, y);
  tip.style.display = frame < 0 ? 'none' : 'block';
  if (frame >= 0) {
    const {name, model} = scene.frames[frame];
    tip.style.left = clamp(x + 14, 0, width - 190) + 'px';
    tip.style.top = clamp(y + 14, 0, height - 50) + 'px';
    tip.textContent = `${name}  ${model}\n${told(frame)}`;
  }
  if (frame !== hovered) {
    hovered = frame;
    stale = true;
  }
}
let last = 0;
const cost = {frames: 0, ms: 0};
function tick(t) {
  requestAnimationFrame(tick);
  const elapsed = Math.min(0.1, (t - last) / 1e3);
  last = t;
  if (playing) source.advance(elapsed);
  if (stale) render();
}
function render() {
  stale = false;
  const from = performance.now();
  draw();
  plots.forEach(drawPlot);
  drawTrack();
  find('#now').textContent = source.clock();
  find('#time').value = (now - scene.t0) / (scene.t1 - scene.t0 || 1);
  cost.frames++;
  cost.ms += performance.now() - from;
}
function chooseDeformation(address) {  // factors by which deformations are drawn, the given one among them
  magnify = Math.max(0, +(address.get('magnify') ?? magnify)) || 0;
  const list = element('select', '', find('#chips'));
  list.setAttribute('aria-label', 'deformation');
  for (const v of [...new Set([0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, magnify])].sort((a, b) => a - b))
    list.add(new Option(`Deformation × ${v}`, v, false, v === magnify));
  list.onchange = () => {
    magnify = +list.value;
    stale = true;
  };
}
function fillBars(address) {
  const speeds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10], span = scene.t1 - scene.t0;
  const far = v => Math.abs(Math.log(v * 8 / span));
  speed = span > 2 || span <= 0 ? 1 : speeds.reduce((a, b) => far(b) < far(a) ? b : a);
  for (const v of speeds) find('#speed').add(new Option((v >= 1 ? v : '1/' + Math.round(1 / v)) + ' ×', v, false, v === speed));
  const chips = {names: 'Names', forces: 'Forces', traces: 'Traces', joints: 'Joints', centres: 'Mass centres', inertia: 'Inertia', grid: 'Grid'};
  const kinds = new Set(scene.shapes.map(s => s.kind));
  for (const [what, text] of Object.entries(chips)) {
    if ((what === 'forces' && !scene.arrows.length) || (what === 'centres' && !kinds.has('centre')) || (what === 'inertia' && !kinds.has('inertia'))) continue;
    if (address.has(what)) show[what] = address.get(what) === '1';
    const chip = element('button', text, find('#chips'));
    chip.dataset.what = what;
    chip.setAttribute('aria-pressed', show[what]);
    chip.onclick = () => toggle(what);
  }
  element('button', 'Fit', find('#chips')).onclick = () => fit();
  if ('magnify' in scene) chooseDeformation(address);
  scene.traces.forEach((trace, k) => {
    const label = element('label', '', element('li', '', find('#bodies'))), box = element('input', '', label), patch = element('i', '', label);
    box.type = 'checkbox';
    box.checked = traced.has(k);
    box.onchange = () => {
      if (box.checked) traced.add(k); else traced.delete(k);
      stale = true;
    };
    patch.style.background = hue(trace.c);
    element('span', trace.name, label).title = scene.frames[trace.at[0]].model;
  });
  const add = find('#add');
  add.add(new Option('+ signal …', ''));
  scene.columns.forEach((column, k) => column.s && add.add(new Option(column.n + (column.u ? ' in ' + unitOf(column.u) : ''), k)));
  add.onchange = () => {
    if (add.value !== '') addPlot([+add.value]);
    add.value = '';
  };
  for (const [key, text] of KEYS) {
    const line = element('tr', '', find('#help table'));
    element('kbd', key.replace('Arrow', ''), element('td', '', line));
    element('td', text, line);
  }
  source.controls();
}
(async () => {
  const address = new URLSearchParams(location.hash.slice(1));
  root.dataset.theme = address.get('theme') || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  find('h1').textContent = scene.name;
  find('.told').textContent = scene.told;
  await source.load();
  scaleForces();
  seek(scene.t0);
  fillBars(address);
  scene.plots.forEach(addPlot);
  size();
  fit();
  listen();
  stop();
  if (address.has('t')) seek(+address.get('t'));
  else if (!address.has('still') && !matchMedia('(prefers-reduced-motion: reduce)').matches) start();
  render();
  requestAnimationFrame(tick);
  window.player = {seek, render, start, stop, cost, scene, columns: () => columns, now: () => now, playing: () => playing, camera: () => camera,
    place: p => inSpace ? project(spacePoint(p)) : on(p), show, ready: performance.now() - began};
})();
