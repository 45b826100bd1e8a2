"use strict";
// The scene, its columns of numbers, and where everything is at a time.
const began = performance.now();
const find = query => document.querySelector(query);
const scene = JSON.parse(find('#scene').textContent), inSpace = scene.dimension === 3;
const root = document.documentElement, FULL = 2 * Math.PI;
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
const css = name => getComputedStyle(root).getPropertyValue(name).trim();
const dark = () => root.dataset.theme === 'dark';

let columns = [], time;
async function inflated(base64) {
  const text = atob(base64), packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
}
async function unpackMesh(s) {  // points on a grid, and triangles by the numbers of their corners
  const grid = new Uint16Array(await inflated(s.points)), n = grid.length / 3;
  s.corners = new Uint32Array(await inflated(s.faces));
  s.places = Array.from({length: n}, (_, i) => [0, 1, 2].map(k => s.low[k] + s.step * grid[k * n + i]));
}
async function unpackElastic(s) {  // nodes, and after them the displacements of each shape
  s.numbers = new Float32Array(await inflated(s.points));
}
async function unpackShapes() {
  for (const s of scene.shapes) if (s.kind === 'mesh') await unpackMesh(s); else if (s.kind === 'elastic') await unpackElastic(s);
}
async function decode() {
  const bytes = new Uint8Array(await inflated(find('#data').textContent.trim())), n = scene.rows, plane = n * scene.columns.length;
  columns = scene.columns.map((column, k) => {  // second differences of 20 bits, in three planes of bytes
    const values = new Float64Array(n);
    let slope = 0, value = 0;
    for (let i = 0, j = k * n; i < n; i++, j++) {
      const unsigned = bytes[j] | bytes[plane + j] << 8 | bytes[2 * plane + j] << 16;
      slope += (unsigned >>> 1) ^ -(unsigned & 1);
      value += slope;
      values[i] = column.lo + column.q * value;
    }
    return values;
  });
  time = columns[0];
  await unpackShapes();
}

// Where rows come from, and what follows from that: those of the page here, those of a run that goes on in live.js.
const source = {
  load: decode,
  newest: () => scene.t1,
  clock: () => `${minus(now.toFixed(scene.digits))} / ${minus(scene.t1.toFixed(scene.digits))} s`,
  advance(elapsed) {
    const next = now + elapsed * speed;
    if (next > scene.t1 && !repeating) toEnd();
    else seek(next > scene.t1 ? scene.t0 : next);
  },
  play() { if (now >= scene.t1) seek(scene.t0); },
  pause() {},
  controls() {},
  fits: () => false,
};

// -- time
let now = 0, row = 0, part = 0, playing = false, repeating = true, speed = 1, stale = true;
function seek(t) {
  now = clamp(t, scene.t0, source.newest());
  let low = 0, high = scene.rows - 1;
  while (high - low > 1) {
    const middle = low + high >> 1;
    if (time[middle] <= now) low = middle; else high = middle;
  }
  row = low;
  const step = time[high] - time[low];  // 0 between the two rows of an event
  part = step > 0 ? clamp((now - time[low]) / step, 0, 1) : 0;
  stale = true;
}
const at = k => k < 1 ? 0 : columns[k][row] + part * (columns[k][Math.min(row + 1, scene.rows - 1)] - columns[k][row]);
const value = (k, i) => i < 0 ? at(k) : k < 1 ? 0 : columns[k][i];

let magnify = scene.magnify ?? 1;  // factor of deformations

// -- poses: at present, or in a row
function planePose(frame, i = -1) {
  const pose = scene.frames[frame].pose;
  return pose ? pose.map(k => value(k, i)) : [0, 0, 0];
}
function planePoint([frame, [u, v]], i = -1) {
  const [x, y, angle] = planePose(frame, i), c = Math.cos(angle), s = Math.sin(angle);
  return [x + c * u - s * v, y + s * u + c * v];
}
function turned([w, x, y, z], [a, b, c]) {
  const p = 2 * (y * c - z * b), q = 2 * (z * a - x * c), r = 2 * (x * b - y * a);
  return [a + w * p + y * r - z * q, b + w * q + z * p - x * r, c + w * r + x * q - y * p];
}
function spacePose(frame, i = -1) {
  const pose = scene.frames[frame].pose;
  if (!pose) return [[0, 0, 0], [1, 0, 0, 0]];
  const all = pose.map(k => value(k, i)), q = all.slice(3), length = Math.hypot(...q) || 1;
  return [all.slice(0, 3), q.map(x => x / length)];
}
function spacePoint([frame, point], i = -1) {
  const [r, q] = spacePose(frame, i), arm = turned(q, point);
  return [r[0] + arm[0], r[1] + arm[1], r[2] + arm[2]];
}
function bentLine(s) {  // centre line of a beam: fifth degree in its mean frame, or third degree from a clamped end
  const plus = (at, axis) => [at[0], at[1].map((each, i) => each + axis[i])], less = (p, q) => p.map((each, i) => each - q[i]);
  const zero = inSpace ? [0, 0, 0] : [0, 0], mean = 'frame' in s, base = mean ? [s.frame, zero] : s.a, first = mean ? [1, 0, 0] : s.along[0];
  const o = point(base), x = less(point(plus(base, first)), o), y = less(point(plus(base, [-first[1], first[0], 0])), o);
  const dot = (p, q) => p.reduce((sum, each, i) => sum + each * q[i], 0);
  const [[u0, v0, d0], [u1, v1, d1]] = [s.a, s.b].map((end, i) => {
    const p = less(point(end), o), t = less(point(plus(end, s.along[i])), point(end));
    return [dot(p, x), dot(p, y), s.length / 2 * Math.atan2(dot(t, y), dot(t, x))];
  });
  const even = (v1 + v0) / 2, odd = (v1 - v0) / 2, byEven = (d1 - d0) / 2, byOdd = (d1 + d0) / 2;
  const fourth = (byEven - 3 * even) / 7, fifth = (byOdd - 6 * odd) / 9, third = (byOdd - odd) / 5;
  const sizes = mean ? [0, 0, even - fourth, odd - fifth, fourth, fifth] : [even - byEven / 3, odd - third, byEven / 3, third, 0, 0], found = [];
  for (let k = 0; k < 17; k++) {
    const z = k / 8 - 1, p = [1, z];
    for (let n = 1; n < 5; n++) p.push(((2 * n + 1) * z * p[n] - n * p[n - 1]) / (n + 1));
    const u = (u0 * (1 - z) + u1 * (1 + z)) / 2, v = magnify * dot(sizes, p);
    found.push(o.map((each, i) => each + u * x[i] + v * y[i]));
  }
  return found;
}
function deformed(s) {  // the nodes of an elastic part in the frame of its body, three numbers each
  const n = 3 * s.count, found = s.numbers.slice(0, n);
  s.e.forEach((column, k) => {
    const size = magnify * at(column), from = n * (k + 1);
    for (let i = 0; i < n; i++) found[i] += size * s.numbers[from + i];
  });
  return found;
}
const point = inSpace ? spacePoint : planePoint;

// -- colours and numbers
const paint = s => s.paint || hue(s.c);  // what a user chose
const hue = k => k < 0 ? (dark() ? '#8493a3' : '#8a97a5') : (dark() ? scene.dark : scene.light)[k % scene.light.length];
function mix(colour, share, other) {
  const a = parseInt(colour.slice(1), 16), b = parseInt(other.slice(1), 16);
  let found = 0;
  for (const shift of [16, 8, 0]) found |= Math.round((a >> shift & 255) * (1 - share) + (b >> shift & 255) * share) << shift;
  return '#' + found.toString(16).padStart(6, '0');
}
const minus = text => String(text).replace('-', '−');
function written(x, digits = 4) {
  if (!isFinite(x)) return '–';
  if (x === 0) return '0';
  return minus(Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(digits - 2) : x.toPrecision(digits));
}
function nice(x) {
  const e = 10 ** Math.floor(Math.log10(x)), m = x / e;
  return e * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
}
const newtons = x => x >= 1e6 ? x / 1e6 + ' MN' : x >= 1e3 ? x / 1e3 + ' kN' : x < 1 ? +(1e3 * x).toPrecision(3) + ' mN' : x + ' N';

// -- what is shown
const view = find('#view'), over = find('#over'), tip = find('#tip');
const show = {names: false, forces: scene.arrows.length <= 12, traces: true, joints: true, centres: true, inertia: false, grid: true};
let width = 1, height = 1, ratio = 1, camera, hovered = -1;
function size() {
  ratio = devicePixelRatio || 1;
  const box = find('#stage').getBoundingClientRect();
  width = Math.max(1, box.width);
  height = Math.max(1, box.height);
  for (const canvas of [view, over]) {
    canvas.width = width * ratio;
    canvas.height = height * ratio;
  }
  stale = true;
}
const paths = new Map(), traced = new Set(scene.traces.flatMap((trace, k) => trace.on ? [k] : []));
function path(k) {  // found once, in at most 4000 points
  if (!paths.has(k)) {
    const found = [], step = Math.max(1, Math.floor(scene.rows / 4000));
    for (let i = 0; i < scene.rows; i += step) found.push([time[i], point(scene.traces[k].at, i)]);
    paths.set(k, found);
  }
  return paths.get(k);
}
let forceSize = 1, forceScale = 1;  // one scale for all arrows: the 90th percentile is drawn as a sixth of the scene
function scaleForces(share = 0.9) {
  const sizes = [];
  for (const arrow of scene.arrows)
    for (let i = 0; i < scene.rows; i += Math.max(1, scene.rows >> 8)) sizes.push(Math.hypot(...arrow.v.map(k => value(k, i))));
  sizes.sort((a, b) => a - b);
  forceSize = nice(sizes[Math.min(sizes.length - 1, Math.floor(share * sizes.length))] || 1);
  forceScale = 0.17 * scene.size / forceSize;
}
function tag(pen, text, x, y, colour) {
  pen.font = '600 12px system-ui, sans-serif';
  const w = pen.measureText(text).width;
  pen.fillStyle = css('--panel');
  pen.strokeStyle = colour;
  pen.lineWidth = 1.2;
  pen.beginPath();
  pen.roundRect(x - w / 2 - 6, y - 10, w + 12, 20, 6);
  pen.globalAlpha = 0.92;
  pen.fill();
  pen.globalAlpha = 1;
  pen.stroke();
  pen.fillStyle = css('--ink');
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.fillText(text, x, y + 0.5);
  pen.textAlign = 'left';
}
const labels = scene.traces.map(trace => ({text: trace.name, frame: trace.at[0], colour: trace.c}));
const centreOf = new Map(scene.shapes.filter(s => s.kind === 'centre' || s.kind === 'ball').map(s => [s.at[0], s.at]));
const labelled = label => point(centreOf.get(label.frame) || [label.frame, inSpace ? [0, 0, 0] : [0, 0]]);
function drawNames(pen, pixelOf) {  // one that would cover another goes above or below it
  const taken = [];
  pen.font = '600 12px system-ui, sans-serif';
  for (const label of labels) {
    const [x, y] = pixelOf(labelled(label)), half = pen.measureText(label.text).width / 2 + 7;
    const free = [0, 1, -1, 2, -2, 3, -3, 4].map(k => y + 23 * k).find(v => taken.every(t => Math.abs(t.y - v) >= 22 || Math.abs(t.x - x) >= t.half + half)) ?? y;
    taken.push({x, y: free, half});
    tag(pen, label.text, x, free, hue(label.colour));
  }
}
