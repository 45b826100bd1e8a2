// The picture of a mechanism in the plane.
let pen;
const X = x => width / 2 + (x - camera.x) * camera.scale, Y = y => height / 2 - (y - camera.y) * camera.scale;
const pixel = p => [X(p[0]), Y(p[1])], on = p => pixel(planePoint(p));
const wide = metres => Math.max(1.2, metres * camera.scale);
function fit() {
  const [x0, y0] = scene.low, [x1, y1] = scene.high, room = 0.06 * scene.size || 1;
  const scale = Math.min((width - 80) / (x1 - x0 + room), (height - 120) / (y1 - y0 + room));
  camera = {x: (x0 + x1) / 2, y: (y0 + y1) / 2 + 8 / scale, scale};
  stale = true;
}
function zoom(factor, x, y) {
  const u = camera.x + (x - width / 2) / camera.scale, v = camera.y - (y - height / 2) / camera.scale;
  camera.scale *= factor;
  camera.x = u - (x - width / 2) / camera.scale;
  camera.y = v + (y - height / 2) / camera.scale;
  stale = true;
}
function drag(dx, dy) {
  camera.x -= dx / camera.scale;
  camera.y += dy / camera.scale;
}
const line = (points, closed) => {
  pen.beginPath();
  points.forEach((p, i) => i ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1]));
  if (closed) pen.closePath();
};
const disc = (x, y, r) => {
  pen.beginPath();
  pen.arc(x, y, r, 0, FULL);
};
const stroke = (colour, thick) => {
  pen.strokeStyle = colour;
  pen.lineWidth = thick;
  pen.stroke();
};
const fill = colour => {
  pen.fillStyle = colour;
  pen.fill();
};
const edge = colour => mix(colour, 0.45, dark() ? '#000000' : '#0b1520');
const face = (colour, share) => mix(colour, share, dark() ? '#161d24' : '#ffffff');
function between(s) {  // a frame of pixels along what stretches from a to b
  const a = on(s.a), b = on(s.b), dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy) || 1, u = [dx / length, dy / length];
  return {a, b, length, at: (along, aside = 0) => [a[0] + u[0] * along - u[1] * aside, a[1] + u[1] * along + u[0] * aside]};
}
function edged(s) {  // the rings of an area, as a path
  const [x, y, angle] = planePose(s.frame), c = Math.cos(angle), d = Math.sin(angle), k = camera.scale, x0 = X(x), y0 = Y(y);
  pen.beginPath();
  for (const ring of s.rings) {
    ring.forEach(([u, v], i) => {
      const px = x0 + k * (c * u - d * v), py = y0 - k * (d * u + c * v);
      if (i) pen.lineTo(px, py); else pen.moveTo(px, py);
    });
    pen.closePath();
  }
}
const DRAW = {
  hull(s) {
    const w = wide(s.w), points = s.points.map(p => on([s.frame, p])), colour = hue(s.c), inside = face(colour, hovered === s.frame ? 0.35 : 0.12);
    pen.lineJoin = pen.lineCap = 'round';
    if (points.length === 1) points.push(points[0]);
    line(points, points.length > 2);
    stroke(edge(colour), 2 * w + 2.4);
    stroke(inside, 2 * w);
    if (points.length > 2) fill(inside);
  },
  bent(s) {
    const w = wide(s.w), colour = hue(s.c);
    pen.lineJoin = pen.lineCap = 'round';
    line(bentLine(s).map(pixel));
    stroke(edge(colour), 2 * w + 2.4);
    stroke(face(colour, hovered === s.frame ? 0.35 : 0.12), 2 * w);
  },
  outline(s) {
    edged(s);
    const colour = paint(s), inside = face(colour, hovered === s.frame ? 0.35 : 0.12);
    pen.lineJoin = 'round';
    stroke(edge(colour), 2.4);
    fill(inside);
  },
  level(s) {  // hatched on the side of the ground
    const {length, at: q} = between(s), [, , turn] = planePose(s.a[0]), [u, v] = s.down, c = Math.cos(turn), d = Math.sin(turn);
    const p = q(0, 1), o = q(0), side = (p[0] - o[0]) * (c * u - d * v) - (p[1] - o[1]) * (d * u + c * v) > 0 ? 1 : -1;
    pen.beginPath();
    for (let along = 6; along < length; along += 11) {
      pen.moveTo(...q(along));
      pen.lineTo(...q(along - 5, 6 * side));
    }
    pen.globalAlpha = 0.7;
    stroke(css('--frame'), 1);
    pen.globalAlpha = 1;
    line([q(0), q(length)]);
    stroke(css('--frame'), 1.6);
  },
  centre(s) {
    if (!show.centres || s.size * camera.scale < 24) return;
    const [x, y] = on(s.at), angle = -planePose(s.at[0])[2], r = clamp(wide(s.r), 4, 9);
    disc(x, y, r);
    fill('#fff');
    pen.fillStyle = '#1b2733';
    for (const quarter of [0, 2]) {
      pen.beginPath();
      pen.moveTo(x, y);
      pen.arc(x, y, r, angle + quarter * FULL / 4, angle + (quarter + 1) * FULL / 4);
      pen.fill();
    }
    disc(x, y, r);
    stroke('#1b2733', 1);
  },
  inertia(s) {
    if (!show.inertia) return;
    pen.setLineDash([4, 3]);
    disc(...on(s.at), s.r * camera.scale);
    stroke(hue(s.c), 1.2);
    pen.setLineDash([]);
  },
  pin(s) {
    if (!show.joints) return;
    const r = clamp(wide(s.r), 1.8, 16);
    disc(...on(s.at), r);
    fill(css('--paper'));
    stroke(css(s.bad ? '--force' : '--steel'), clamp(0.28 * r, 1.2, 3));
  },
  knuckle(s) { DRAW.pin(s) },
  square(s) {
    if (!show.joints) return;
    const [x, y] = on(s.at), r = clamp(wide(s.r), 2, 12), angle = -planePose(s.at[0])[2];
    pen.save();
    pen.translate(x, y);
    pen.rotate(angle);
    pen.beginPath();
    pen.rect(-r, -r, 2 * r, 2 * r);
    fill(css('--paper'));
    stroke(css(s.bad ? '--force' : '--steel'), clamp(0.28 * r, 1.2, 3));
    pen.restore();
  },
  fixed(s) {
    const [x, y] = on(s.at), r = clamp(wide(s.r), 5, 22), colour = css('--frame');
    pen.lineJoin = 'round';
    line([[x, y], [x - 1.25 * r, y + 2 * r], [x + 1.25 * r, y + 2 * r]], true);
    fill(css('--ground'));
    stroke(colour, 1.6);
    line([[x - 1.9 * r, y + 2 * r], [x + 1.9 * r, y + 2 * r]]);
    stroke(colour, 1.6);
    pen.beginPath();
    for (let k = 0; k < 6; k++) {
      const u = x - 1.6 * r + 0.66 * k * r;
      pen.moveTo(u, y + 2 * r);
      pen.lineTo(u - 0.55 * r, y + 2.7 * r);
    }
    stroke(colour, 1);
  },
  coil(s) {
    const {length, at: q} = between(s), w = clamp(wide(s.w), 4, 30), end = Math.min(0.1 * length, 1.5 * w), turns = 11, points = [q(0), q(end)];
    for (let i = 0; i < 2 * turns; i++) points.push(q(end + (length - 2 * end) * (i + 0.5) / (2 * turns), i % 2 ? w : -w));
    points.push(q(length - end), q(length));
    pen.lineJoin = 'round';
    line(points);
    stroke(css('--stage'), 3.4);
    stroke(css('--spring'), 1.9);
  },
  dashpot(s) {
    const {length, at: q} = between(s), w = clamp(wide(s.w), 3, 20), foot = 0.15 * length;
    const body = Math.max(foot + 4, Math.min(s.body * camera.scale, 0.8 * length)), head = foot + 0.55 * (body - foot);
    pen.lineCap = 'round';
    for (const points of [[q(0), q(foot)], [q(body, w), q(foot, w), q(foot, -w), q(body, -w)], [q(head, 0.72 * w), q(head, -0.72 * w)], [q(head), q(length)]]) {
      line(points);
      stroke(css('--frame'), 1.8);
    }
  },
  piston(s) {
    const {a, b, length, at: q} = between(s), w = wide(s.w), body = Math.min(s.body * camera.scale, 0.97 * length), rim = dark() ? '#0b0f13' : '#25313d';
    pen.lineCap = 'butt';
    const bar = (from, to, thick, colour) => {
      line([q(from), q(to)]);
      stroke(rim, thick + 2.2);
      line([q(from + 1.1), q(to - 1.1)]);
      stroke(colour, thick);
    };
    bar(0, length, 0.62 * w, css('--metal'));
    bar(0.4 * w, body, 1.7 * w, css('--cylinder'));
    bar(body - 0.5 * w, body, 2 * w, css('--collar'));
    for (const end of [a, b]) {
      disc(...end, Math.max(3, 0.55 * w));
      fill(css('--paper'));
      stroke(css('--steel'), 1.4);
    }
  },
  rod(s) {
    line([on(s.a), on(s.b)]);
    pen.lineCap = 'round';
    stroke(css('--frame'), wide(s.w) + 2);
    stroke(css('--metal'), wide(s.w));
  },
  rail(s) {
    line([on(s.a), on(s.b)]);
    pen.lineCap = 'round';
    stroke(css('--frame'), wide(s.w) + 2);
    stroke(css('--ground'), wide(s.w));
  },
  slider(s) {
    const [x, y] = on(s.at), [frame, axis] = s.along, r = clamp(wide(s.r), 5, 26);
    pen.save();
    pen.translate(x, y);
    pen.rotate(-planePose(frame)[2] - Math.atan2(axis[1], axis[0]));
    pen.beginPath();
    pen.roundRect(-r, -0.62 * r, 2 * r, 1.24 * r, 3);
    fill(face(hue(s.c), 0.12));
    stroke(s.bad ? css('--force') : edge(hue(s.c)), 1.8);
    pen.restore();
  },
  wheel(s) {
    const [x, y] = on(s.at), angle = -planePose(s.at[0])[2], r = s.r * camera.scale, colour = hue(s.c), spokes = 6;
    disc(x, y, r);
    fill(face(colour, 0.6));
    stroke(edge(colour), 2);
    pen.beginPath();
    for (let k = 0; k < spokes; k++) {
      pen.moveTo(x, y);
      pen.lineTo(x + r * Math.cos(angle + k * FULL / spokes), y + r * Math.sin(angle + k * FULL / spokes));
    }
    stroke(edge(colour), 1.4);
  },
  ball(s) {
    disc(...on(s.at), Math.max(3, s.r * camera.scale));
    fill(face(hue(s.c), 0.12));
    stroke(edge(hue(s.c)), 1.4);
  },
  gear(s) {
    const [x, y] = on(s.at), angle = -planePose(s.at[0])[2], step = FULL / s.teeth, module = 2 * s.r / s.teeth, colour = hue(s.c);
    pen.beginPath();
    for (let k = 0; k < s.teeth; k++)
      for (const [share, out] of [[-0.29, -1.1], [-0.14, 0.9], [0.14, 0.9], [0.29, -1.1]]) {
        const r = (s.r + out * module) * camera.scale, b = angle + (k + share) * step;
        pen.lineTo(x + r * Math.cos(b), y + r * Math.sin(b));
      }
    pen.closePath();
    fill(face(colour, 0.25));
    stroke(edge(colour), 1.5);
    pen.beginPath();
    for (let k = 0; k < 3; k++) {
      const r = (s.r - 2 * module) * camera.scale;
      pen.moveTo(x, y);
      pen.lineTo(x + r * Math.cos(angle + k * FULL / 3), y + r * Math.sin(angle + k * FULL / 3));
    }
    stroke(edge(colour), 1.2);
  },
};
const ORDER = {level: -1, rail: 0, inertia: 1, gear: 2, wheel: 2, rod: 3, dashpot: 4, piston: 4, coil: 4, slider: 4.5, bent: 5, hull: 5, outline: 5, ball: 5, fixed: 5.5, pin: 6, square: 6, centre: 7};
const ordered = scene.shapes.filter(s => DRAW[s.kind]).sort((a, b) => ORDER[a.kind] - ORDER[b.kind]);
function arrow(x0, y0, x1, y1) {
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < 3) return;
  const u = (x1 - x0) / length, v = (y1 - y0) / length, head = Math.min(14, 0.5 * length), x = x1 - u * head, y = y1 - v * head;
  for (const [colour, extra] of [[css('--stage'), 2.5], [css('--force'), 0]]) {
    pen.lineCap = 'butt';
    line([[x0, y0], [x + u, y + v]]);
    stroke(colour, 2.4 + extra);
    line([[x1, y1], [x - v * 0.38 * head, y + u * 0.38 * head], [x + v * 0.38 * head, y - u * 0.38 * head]], true);
    if (extra) stroke(colour, extra);
    fill(colour);
  }
}
function drawGrid() {
  const step = nice(110 / camera.scale);
  for (const [size, colour] of [[step / 5, '--grid'], [step, '--grid2']]) {
    pen.beginPath();
    for (let x = Math.ceil((camera.x - width / 2 / camera.scale) / size) * size; X(x) < width; x += size) {
      pen.moveTo(Math.round(X(x)) + 0.5, 0);
      pen.lineTo(Math.round(X(x)) + 0.5, height);
    }
    for (let y = Math.ceil((camera.y - height / 2 / camera.scale) / size) * size; Y(y) > 0; y += size) {
      pen.moveTo(0, Math.round(Y(y)) + 0.5);
      pen.lineTo(width, Math.round(Y(y)) + 0.5);
    }
    stroke(css(colour), 1);
  }
}
function drawTraces() {
  pen.lineJoin = 'round';
  for (const k of traced) {
    const colour = hue(scene.traces[k].c), points = path(k), done = points.findIndex(p => p[0] > now), until = done < 0 ? points.length : done;
    pen.globalAlpha = 0.3;
    line(points.map(p => pixel(p[1])));
    stroke(colour, 1.2);
    pen.globalAlpha = 0.9;
    line([...points.slice(0, until).map(p => pixel(p[1])), on(scene.traces[k].at)]);
    stroke(colour, 2);
    pen.globalAlpha = 1;
  }
}
function drawRuler() {
  pen.font = '12px system-ui, sans-serif';
  pen.textBaseline = 'alphabetic';
  pen.fillStyle = css('--dim');
  const length = nice(90 / camera.scale), [factor, unit] = length < 0.001 ? [1e6, 'µm'] : length < 0.1 ? [1e3, 'mm'] : length < 1e3 ? [1, 'm'] : [1e-3, 'km'];
  let x = 16;
  const y = height - 16, w = length * camera.scale;
  line([[x, y - 5], [x, y], [x + w, y], [x + w, y - 5]]);
  stroke(css('--dim'), 1.5);
  pen.fillText(+(length * factor).toPrecision(3) + ' ' + unit, x + w + 6, y);
  x += w + 70;
  if (show.forces && scene.arrows.length) {
    const reach = forceSize * forceScale * camera.scale;
    arrow(x, y - 4, x + reach, y - 4);
    pen.fillStyle = css('--dim');
    pen.fillText(newtons(forceSize), x + reach + 8, y);
    x += reach + 70;
  }
  pen.fillStyle = css('--dim');
  if (magnify !== 1) pen.fillText(`deformation × ${magnify}`, x, y);
}
function draw() {
  pen = view.getContext('2d');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  if (show.grid) drawGrid();
  if (show.traces) drawTraces();
  for (const shape of ordered) DRAW[shape.kind](shape);
  if (show.forces)
    for (const each of scene.arrows) {
      const [x, y] = on(each.at);
      arrow(x, y, x + at(each.v[0]) * forceScale * camera.scale, y - at(each.v[1]) * forceScale * camera.scale);
    }
  if (show.names) drawNames(pen, pixel);
  drawRuler();
}
function distance(p, a, b) {
  const dx = b[0] - a[0], dy = b[1] - a[1], t = clamp(((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy || 1), 0, 1);
  return Math.hypot(p[0] - a[0] - t * dx, p[1] - a[1] - t * dy);
}
function under(x, y) {  // the body at a pixel, or -1
  let found = -1, best = 4;
  for (const s of scene.shapes)
    if (s.kind === 'outline') {
      edged(s);
      if (best > 0 && pen.isPointInPath(x * ratio, y * ratio)) [found, best] = [s.frame, 0];
    } else if (s.kind === 'hull') {
      const points = s.points.map(p => on([s.frame, p]));
      points.forEach((p, i) => {
        const far = distance([x, y], p, points[(i + 1) % points.length]) - wide(s.w);
        if (far < best) [found, best] = [s.frame, far];
      });
    }
  return found;
}
const told = frame => 'x y θ  ' + planePose(frame).map(v => written(v)).join('  ');
const VIEWS = [];
