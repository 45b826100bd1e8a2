// The picture of a mechanism in space: WebGL 2, each kind of solid drawn once for all its instances.
let gl, solid, thin;
const solids = {}, grid = {key: ''}, strips = new Map();
const less = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]], dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => {
  const length = Math.hypot(...a) || 1;
  return a.map(x => x / length);
};
const scaled = (a, k) => a.map(x => x * k), plus = (a, b) => a.map((x, i) => x + b[i]);
const rgb = colour => [16, 8, 0].map(shift => (parseInt(colour.slice(1), 16) >> shift & 255) / 255);

// -- meshes: points and normals of triangles
function revolved(profile, sides = 28) {  // pairs of radius and height about the axis z, with normals or without
  const points = [], normals = [];
  for (let j = 0; j + 1 < profile.length; j++) {
    const [a, b] = [profile[j], profile[j + 1]], slope = unit([b[1] - a[1], 0, a[0] - b[0]]);
    for (let i = 0; i < sides; i++)
      for (const [k, p] of [[i, a], [i + 1, a], [i + 1, b], [i, a], [i + 1, b], [i, b]]) {
        const c = Math.cos(k * FULL / sides), s = Math.sin(k * FULL / sides), n = p[2] || [slope[0], slope[2]];
        points.push(p[0] * c, p[0] * s, p[1]);
        normals.push(n[0] * c, n[0] * s, n[1]);
      }
  }
  return [points, normals];
}
function sphere(steps, sides) {
  const arc = [...Array(steps + 1).keys()].map(i => Math.PI * (i / steps - 0.5));
  return revolved(arc.map(a => [Math.cos(a), Math.sin(a), [Math.cos(a), Math.sin(a)]]), sides);
}
function cube() {
  const points = [], normals = [];
  for (let k = 0; k < 3; k++)
    for (const side of [-1, 1])
      for (const [a, b] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) {
        const p = [0, 0, 0], n = [0, 0, 0];
        p[k] = n[k] = side;
        p[(k + 1) % 3] = a;
        p[(k + 2) % 3] = b;
        points.push(...p);
        normals.push(...n);
      }
  return [points, normals];
}
function helix(turns = 8, thick = 0.16) {
  const points = [], normals = [], around = 20, sides = 8, n = turns * around;
  const vertex = (i, j) => {
    const a = i * FULL / around, b = j * FULL / sides, normal = [Math.cos(b) * Math.cos(a), Math.cos(b) * Math.sin(a), Math.sin(b)];
    points.push(Math.cos(a) + thick * normal[0], Math.sin(a) + thick * normal[1], 0.06 + 0.88 * i / n + 0.016 * normal[2]);
    normals.push(...normal);
  };
  for (let i = 0; i < n; i++)
    for (let j = 0; j < sides; j++) for (const [p, q] of [[i, j], [i + 1, j], [i + 1, j + 1], [i, j], [i + 1, j + 1], [i, j + 1]]) vertex(p, q);
  return [points, normals];
}
const few = scene.shapes.length <= 40;  // of many solids each is small, and takes fewer triangles
const MESHES = {
  cylinder: () => revolved([[0, 0], [1, 0], [1, 0], [1, 1], [1, 1], [0, 1]], few ? 40 : 16),
  tube: () => revolved([[1, 0, [1, 0]], [1, 1, [1, 0]]], few ? 24 : 10),
  sphere: () => few ? sphere(12, 20) : sphere(6, 10),
  bead: () => few ? sphere(8, 16) : sphere(4, 8),
  cube, helix,
  cone: () => revolved([[0, 0], [1, 0], [1, 0], [0, 1]]),
};
function creased({places, corners}) {  // normals are shared by triangles that are nearly in a plane
  const faces = [], around = places.map(() => []), points = [], normals = [];
  for (let i = 0; i < corners.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map(k => places[corners[i + k]]), normal = cross(less(b, a), less(c, a));
    faces.push([normal, unit(normal)]);
    for (let k = 0; k < 3; k++) around[corners[i + k]].push(i / 3);
  }
  corners.forEach((corner, i) => {
    const own = faces[Math.floor(i / 3)][1], sum = [0, 0, 0];
    for (const j of around[corner]) if (dot(own, faces[j][1]) > 0.8) faces[j][0].forEach((x, k) => sum[k] += x);
    points.push(...places[corner]);
    normals.push(...unit(sum));
  });
  return [points, normals];
}
function facets(s) {  // points and normals of the triangles of an elastic part, as it is deformed
  const p = deformed(s), points = new Float32Array(9 * s.faces.length), normals = new Float32Array(9 * s.faces.length);
  s.faces.forEach((face, i) => {
    for (let j = 0; j < 9; j++) points[9 * i + j] = p[3 * face[Math.floor(j / 3)] + j % 3];
    const edge = (corner, k) => points[9 * i + 3 * corner + k] - points[9 * i + k];
    const [x, y, z] = [0, 1, 2].map(k => edge(1, (k + 1) % 3) * edge(2, (k + 2) % 3) - edge(1, (k + 2) % 3) * edge(2, (k + 1) % 3));
    const length = Math.hypot(x, y, z) || 1;
    for (let j = 0; j < 9; j += 3) normals.set([x / length, y / length, z / length], 9 * i + j);
  });
  return [points, normals];
}
const SOLID = [`#version 300 es
layout(location=0) in vec3 point; layout(location=1) in vec3 normal; layout(location=2) in mat4 pose; layout(location=6) in vec4 colour;
uniform mat4 eyes; uniform float shade, ground; out vec3 N, W; out vec4 C;
void main() {
  vec4 w = pose * vec4(point, 1.);
  vec3 size = vec3(dot(pose[0].xyz, pose[0].xyz), dot(pose[1].xyz, pose[1].xyz), dot(pose[2].xyz, pose[2].xyz));
  N = mat3(pose) * (normal / size);
  if (shade > .5) { w.xy += (w.z - ground) * vec2(.22, .16); w.z = ground; }
  W = w.xyz; C = colour; gl_Position = eyes * w;
}`, `#version 300 es
precision highp float; in vec3 N, W; in vec4 C; uniform vec3 eye; uniform float shade, dark; out vec4 found;
void main() {
  if (shade > .5) { found = vec4(0., 0., 0., dark > .5 ? .38 : .13); return; }
  vec3 n = normalize(N), v = normalize(eye - W);
  if (dot(n, v) < 0.) n = -n;
  vec3 light = normalize(vec3(-.35, -.5, .85));
  float front = max(dot(n, light), 0.), side = max(dot(n, normalize(vec3(.7, .5, .2))), 0.), sky = .5 + .5 * n.z;
  float shine = pow(max(dot(n, normalize(light + v)), 0.), 42.) * .28, rim = pow(1. - max(dot(n, v), 0.), 3.);
  vec3 a = C.rgb * (.34 + .24 * sky + .52 * front + .1 * side) + shine;
  found = vec4(mix(a, a * .55, rim * .6), C.a);
}`];
const THIN = [`#version 300 es
layout(location=0) in vec3 point; layout(location=1) in vec4 colour; uniform mat4 eyes; out vec4 C;
void main() { C = colour; gl_Position = eyes * vec4(point, 1.); }`, `#version 300 es
precision highp float; in vec4 C; out vec4 found; void main() { found = C; }`];
function program(sources) {
  const made = gl.createProgram();
  [gl.VERTEX_SHADER, gl.FRAGMENT_SHADER].forEach((kind, i) => {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, sources[i]);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  });
  gl.linkProgram(made);
  return made;
}
function attribute(place, count, stride, offset, each) {
  gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, count, gl.FLOAT, false, stride, offset);
  if (each) gl.vertexAttribDivisor(place, 1);
}
function begin() {
  gl = view.getContext('webgl2', {antialias: true, stencil: true, preserveDrawingBuffer: true});
  if (!gl) {
    find('.told').textContent = 'This browser has no WebGL 2, which the picture needs; the signals are there.';
    return false;
  }
  solid = program(SOLID);
  thin = program(THIN);
  const own = scene.shapes.flatMap((s, i) => s.kind === 'mesh' ? [[s.solid = 'mesh' + i, () => creased(s)]] : s.kind === 'elastic' ? [[s.solid = 'elastic' + i, () => facets(s)]] : []);
  for (const [name, mesh] of [...Object.entries(MESHES), ...own]) {
    const array = gl.createVertexArray(), data = mesh(), corners = data.map(() => gl.createBuffer());
    gl.bindVertexArray(array);
    data.forEach((numbers, i) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, corners[i]);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
      attribute(i, 3, 0, 0, false);
    });
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    for (let i = 0; i < 5; i++) attribute(2 + i, 4, 80, 16 * i, true);
    solids[name] = {array, buffer, data: corners, corners: data[0].length / 3, list: [], round: /cylinder|tube|sphere|bead|cone/.test(name)};
  }
  grid.array = gl.createVertexArray();
  grid.buffer = gl.createBuffer();
  gl.bindVertexArray(grid.array);
  gl.bindBuffer(gl.ARRAY_BUFFER, grid.buffer);
  attribute(0, 3, 28, 0, false);
  attribute(1, 4, 28, 12, false);
  return true;
}

// -- instances
function put(kind, x, y, z, origin, colour) {
  solids[kind].list.push(...x, 0, ...y, 0, ...z, 0, ...origin, 1, ...colour, 1);
}
function along(kind, a, b, r, colour) {
  const d = less(b, a), u = unit(d), x = unit(cross(Math.abs(u[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], u)), y = cross(u, x);
  put(kind, scaled(x, r), scaled(y, r), d, a, colour);
}
const globe = (p, r, colour) => put('sphere', [r, 0, 0], [0, r, 0], [0, 0, r], p, colour);
const steel = () => rgb(dark() ? '#dfe7ee' : '#2b3743'), metal = () => rgb(dark() ? '#dbe3ea' : '#d3dbe2'), stone = () => rgb(dark() ? '#7d8a97' : '#aeb9c4');
const joint = s => s.bad ? rgb(css('--force')) : steel();
const turn = (frame, axis) => turned(spacePose(frame)[1], axis);
const SOLIDS = {
  capsule(s, colour) {  // its beginning lies in the ball at the mass centre
    const b = spacePoint(s.b);
    along('tube', spacePoint(s.a), b, s.r, colour);
    put('bead', [s.r, 0, 0], [0, s.r, 0], [0, 0, s.r], b, colour);
  },
  bent(s, colour) {
    bentLine(s).forEach((p, i, all) => {
      if (i) along('tube', all[i - 1], p, s.w, colour);
      put('bead', [s.w, 0, 0], [0, s.w, 0], [0, 0, s.w], p, colour);
    });
  },
  elastic(s, colour) {
    const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(axis => turn(s.at[0], axis));
    facets(s).forEach((numbers, i) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, solids[s.solid].data[i]);
      gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.DYNAMIC_DRAW);
    });
    if (s.faces.length) put(s.solid, ...axes, spacePose(s.at[0])[0], colour);
    const p = s.lines.length ? deformed(s) : [], node = k => spacePoint([s.at[0], [...p.slice(3 * k, 3 * k + 3)]]);
    for (const line of s.lines)
      line.map(node).forEach((q, i, all) => {
        if (i) along('tube', all[i - 1], q, s.w, colour);
        put('bead', [s.w, 0, 0], [0, s.w, 0], [0, 0, s.w], q, colour);
      });
  },
  ball(s, colour) { globe(spacePoint(s.at), s.r, colour) },
  knuckle(s) { if (show.joints) globe(spacePoint(s.at), s.r, joint(s)) },
  pin(s) {
    if (!show.joints) return;
    const p = spacePoint(s.at), axis = scaled(turn(s.at[0], s.axis), 1.7 * s.r);
    along('cylinder', less(p, axis), plus(p, axis), s.r, joint(s));
  },
  square(s) {
    if (!show.joints) return;
    const [x, y, z] = s.axes.map(axis => scaled(turn(s.at[0], axis), 1.2 * s.r));
    put('cube', x, y, z, spacePoint(s.at), joint(s));
  },
  mesh(s, colour) {
    const [r] = spacePose(s.at[0]), [x, y, z] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(axis => turn(s.at[0], axis));
    put(s.solid, x, y, z, r, colour);
  },
  rail(s) { along('cylinder', spacePoint(s.a), spacePoint(s.b), s.w, metal()) },
  slider(s, colour) {
    const p = spacePoint(s.at), axis = scaled(unit(turn(...s.along)), s.r);
    along('cylinder', less(p, axis), plus(p, axis), 0.6 * s.r, s.bad ? rgb(css('--force')) : colour);
  },
  fixed(s) {
    const p = spacePoint(s.at);
    put('cube', [s.r, 0, 0], [0, s.r, 0], [0, 0, 0.35 * s.r], less(p, [0, 0, 0.35 * s.r]), stone());
  },
  coil(s) { along('helix', spacePoint(s.a), spacePoint(s.b), s.w, rgb(css('--spring'))) },
  dashpot(s) {
    const a = spacePoint(s.a), b = spacePoint(s.b), middle = a.map((x, i) => x + 0.55 * (b[i] - x));
    along('cylinder', a, middle, 0.8 * s.w, stone());
    along('cylinder', middle, b, 0.3 * s.w, metal());
  },
  piston(s) {
    const a = spacePoint(s.a), b = spacePoint(s.b), far = Math.hypot(...less(b, a)) || 1, share = Math.min(0.97, s.body / far);
    along('cylinder', a, a.map((x, i) => x + share * (b[i] - x)), s.w, rgb(css('--cylinder')));
    along('cylinder', a, b, 0.5 * s.w, metal());
  },
  rod(s) { along('cylinder', spacePoint(s.a), spacePoint(s.b), s.w, metal()) },
  wheel(s, colour) {
    const p = spacePoint(s.at), axis = turn(s.at[0], s.axes[2]), half = scaled(axis, 0.04 * s.r);
    along('cylinder', less(p, half), plus(p, half), s.r, colour);
    for (const side of s.axes.slice(0, 2)) {  // a cross, by which it is seen to turn
      const arm = scaled(turn(s.at[0], side), 0.86 * s.r);
      for (const face of [1.1, -1.1]) along('cylinder', plus(less(p, arm), scaled(half, face)), plus(plus(p, arm), scaled(half, face)), 0.03 * s.r, steel());
    }
  },
};

// -- the camera
function fit() {
  const [a, b] = [scene.low, scene.high], across = Math.min(1, width / height);
  camera = {yaw: -0.9, pitch: 0.42, far: 1.75 * scene.size / Math.max(0.35, across), target: a.map((x, i) => (x + b[i]) / 2)};
  stale = true;
}
function zoom(factor) {
  camera.far /= factor;
  stale = true;
}
function drag(dx, dy, shift) {
  if (shift) {
    const {x, y} = eyes();
    const k = 0.64 * camera.far / height;
    camera.target = camera.target.map((c, i) => c - k * dx * x[i] + k * dy * y[i]);
  } else {
    camera.yaw -= 0.008 * dx;
    camera.pitch = clamp(camera.pitch + 0.008 * dy, -1.55, 1.55);
  }
}
function look(yaw, pitch) {
  camera.yaw = yaw;
  camera.pitch = pitch;
  stale = true;
}
function eyes() {
  const {yaw, pitch, far, target} = camera, c = Math.cos(pitch), z = [Math.sin(yaw) * c, -Math.cos(yaw) * c, Math.sin(pitch)];
  const eye = target.map((t, i) => t + far * z[i]), x = [Math.cos(yaw), Math.sin(yaw), 0], y = cross(z, x);
  const lens = 1 / Math.tan(0.31), near = 0.02 * far, end = 12 * far, a = (end + near) / (near - end), b = 2 * end * near / (near - end);
  const rows = [scaled([...x, -dot(x, eye)], lens * height / width), scaled([...y, -dot(y, eye)], lens), [...scaled(z, a), -a * dot(z, eye) + b], [...scaled(z, -1), dot(z, eye)]];
  const matrix = new Float32Array(16);
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) matrix[4 * j + i] = rows[i][j];
  return {eye, x, y, z, matrix};
}
let seen;
function project(p) {
  const m = (seen || eyes()).matrix, row = i => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i];
  return [(0.5 + 0.5 * row(0) / row(3)) * width, (0.5 - 0.5 * row(1) / row(3)) * height];
}
const VIEWS = [['1', 'front', () => look(0, 0)], ['2', 'top', () => look(0, 1.55)], ['3', 'side', () => look(Math.PI / 2, 0)], ['0', 'from above at an angle', () => look(-0.9, 0.42)]];

// -- a frame
const gridWidth = () => nice(scene.size / 7);
function drawGrid() {  // its lines change with the theme and the box of the scene alone
  const key = [root.dataset.theme, scene.size, scene.floor].join(), gridStep = gridWidth(), lines = [];
  gl.bindVertexArray(grid.array);
  if (key !== grid.key) {
    const count = Math.ceil(0.9 * scene.size / gridStep), reach = count * gridStep, colour = rgb(dark() ? '#55677a' : '#8fa0b0');
    const [cx, cy] = [0, 1].map(i => Math.round((scene.low[i] + scene.high[i]) / 2 / gridStep) * gridStep);
    for (let i = -count; i <= count; i++)
      for (const across of [false, true])
        for (let k = 0; k < 24; k++)  // short pieces, which fade
          for (const u of [k, k + 1]) {
            const v = reach * (u / 12 - 1), far = Math.hypot(i * gridStep, v) / reach, p = across ? [cx + i * gridStep, cy + v] : [cx + v, cy + i * gridStep];
            lines.push(...p, scene.floor, ...colour, Math.max(0, 0.75 * (1 - far * far)));
          }
    gl.bindBuffer(gl.ARRAY_BUFFER, grid.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(lines), gl.STATIC_DRAW);
    Object.assign(grid, {key, corners: lines.length / 7});
  }
  gl.depthMask(false);
  gl.drawArrays(gl.LINES, 0, grid.corners);
  gl.depthMask(true);
}
function strip(k) {  // the path of a point, which stays on the card
  if (!strips.has(k)) {
    const array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    attribute(0, 3, 0, 0, false);
    strips.set(k, {array, buffer});
  }
  const found = strips.get(k), points = path(k);
  if (found.points !== points) {
    gl.bindBuffer(gl.ARRAY_BUFFER, found.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points.flatMap(p => p[1])), gl.DYNAMIC_DRAW);
    Object.assign(found, {points, count: points.length});
  }
  return found;
}
function drawTraces() {
  for (const k of traced) {
    const {array, count} = strip(k), points = path(k), later = points.findIndex(p => p[0] > now), done = later < 0 ? count : later;
    gl.bindVertexArray(array);
    gl.vertexAttrib4f(1, ...rgb(hue(scene.traces[k].c)), 1);
    gl.drawArrays(gl.LINE_STRIP, 0, done);
    gl.vertexAttrib4f(1, ...rgb(hue(scene.traces[k].c)), 0.25);
    if (done < count) gl.drawArrays(gl.LINE_STRIP, Math.max(0, done - 1), count - Math.max(0, done - 1));
  }
}
function drawSolids(shade) {
  gl.uniform1f(gl.getUniformLocation(solid, 'shade'), shade);
  for (const each of Object.values(solids)) {
    if (!each.list.length) continue;
    gl.bindVertexArray(each.array);
    if (!shade) {
      gl.bindBuffer(gl.ARRAY_BUFFER, each.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(each.list), gl.DYNAMIC_DRAW);
    }
    if (each.round && !shade) gl.enable(gl.CULL_FACE); else gl.disable(gl.CULL_FACE);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, each.corners, each.list.length / 20);
  }
}
function collect() {
  for (const each of Object.values(solids)) each.list.length = 0;
  for (const s of scene.shapes) {
    if (!SOLIDS[s.kind]) continue;
    const frame = s.own ?? (s.at || s.a)[0], colour = rgb(s.paint || hue(s.c ?? -1));
    SOLIDS[s.kind](s, frame === hovered ? colour.map(v => 0.6 * v + 0.4) : colour);
  }
  if (!show.forces) return;
  const colour = rgb(css('--force'));
  for (const arrow of scene.arrows) {
    const p = spacePoint(arrow.at), v = arrow.v.map(k => at(k) * forceScale), length = Math.hypot(...v);
    if (length < 0.004 * scene.size) continue;
    const head = Math.min(0.035 * scene.size, 0.5 * length), neck = plus(p, scaled(v, 1 - head / length));
    along('cylinder', p, neck, 0.0035 * scene.size, colour);
    along('cone', neck, plus(p, v), 0.01 * scene.size, colour);
  }
}
function draw() {
  if (!gl && !begin()) return;
  seen = eyes();
  gl.viewport(0, 0, view.width, view.height);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.enable(gl.BLEND);
  gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.useProgram(thin);
  gl.uniformMatrix4fv(gl.getUniformLocation(thin, 'eyes'), false, seen.matrix);
  if (show.grid) drawGrid();
  if (show.traces) drawTraces();
  collect();
  gl.useProgram(solid);
  const of = name => gl.getUniformLocation(solid, name);
  gl.uniformMatrix4fv(of('eyes'), false, seen.matrix);
  gl.uniform3fv(of('eye'), seen.eye);
  gl.uniform1f(of('ground'), scene.floor + 0.0005 * scene.size);
  gl.uniform1f(of('dark'), dark() ? 1 : 0);
  drawSolids(0);
  gl.enable(gl.STENCIL_TEST);  // each pixel of the ground is darkened once
  gl.stencilFunc(gl.EQUAL, 0, 255);
  gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
  gl.depthMask(false);
  drawSolids(1);
  gl.depthMask(true);
  gl.disable(gl.STENCIL_TEST);
  drawOver();
}
function drawOver() {
  const pen = over.getContext('2d'), from = [48, height - 52];
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  if (show.names) drawNames(pen, project);
  const axes = [[[1, 0, 0], '#d64550', 'x'], [[0, 1, 0], '#3a9a5b', 'y'], [[0, 0, 1], '#3b7dd8', 'z']];
  for (const [axis, colour, name] of axes.sort((a, b) => dot(a[0], seen.z) - dot(b[0], seen.z))) {
    const u = dot(axis, seen.x), v = -dot(axis, seen.y);
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = 2.4;
    pen.lineCap = 'round';
    pen.beginPath();
    pen.moveTo(...from);
    pen.lineTo(from[0] + 30 * u, from[1] + 30 * v);
    pen.stroke();
    pen.font = '600 12px system-ui, sans-serif';
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    pen.fillText(name, from[0] + 40 * u, from[1] + 40 * v);
  }
  pen.textAlign = 'left';
  pen.textBaseline = 'alphabetic';
  pen.fillStyle = css('--dim');
  pen.font = '12px system-ui, sans-serif';
  const told = [show.grid ? `grid ${+gridWidth().toPrecision(2)} m` : '', show.forces && scene.arrows.length ? `force ${newtons(forceSize)} = ${written(forceSize * forceScale, 2)} m` : '', magnify !== 1 ? `deformation × ${magnify}` : ''];
  pen.fillText(told.filter(Boolean).join('   '), 100, height - 16);
}
function under(x, y) {  // the body whose solids are nearest to a pixel
  let found = -1, best = 14;
  for (const s of scene.shapes)
    if (s.kind === 'capsule' || s.kind === 'ball') {
      const ends = [s.a || s.at, s.b || s.at].map(p => project(spacePoint(p))), [a, b] = ends, dx = b[0] - a[0], dy = b[1] - a[1];
      const t = clamp(((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy || 1), 0, 1), far = Math.hypot(x - a[0] - t * dx, y - a[1] - t * dy);
      if (far < best) [found, best] = [(s.a || s.at)[0], far];
    } else if (s.kind === 'elastic') {
      const p = deformed(s);
      for (let k = 0; k < p.length; k += 3) {
        const [u, v] = project(spacePoint([s.at[0], [p[k], p[k + 1], p[k + 2]]])), far = Math.hypot(x - u, y - v);
        if (far < best) [found, best] = [s.own, far];
      }
    }
  return found;
}
const told = frame => 'x y z  ' + spacePose(frame)[0].map(v => written(v)).join('  ');
