package Tables "Values of tables, which are held beyond their nodes"
  function curve "Value of the derivative of an order; the kind is 0 for linear pieces, 1 for monotone cubics, more by 2 if periodic, 4 if smooth"
    input Integer order;
    input Integer kind;
    input Real x;
    input Real X[:];
    input Real Y[size(X, 1)];
    output Real y;
  protected
    Integer n;
    Integer i;
    Real h;
    Real m;
    Real c;
    Real d;
    Real t;
    Real u;
  algorithm
    n := size(X, 1);
    u := x;
    if kind > 1 then
      u := x - (X[n] - X[1])*floor((x - X[1])/(X[n] - X[1]));
      u := max(X[1], min(X[n], u));
    end if;
    i := 1;
    while i < n - 1 and u >= X[i + 1] loop
      i := i + 1;
    end while;
    h := X[i + 1] - X[i];
    t := u - X[i];
    m := (Y[i + 1] - Y[i])/h;
    c := m;
    d := m;
    if kind == 1 or kind == 3 then
      c := slope(kind, i, X, Y);
      d := slope(kind, i + 1, X, Y);
    end if;
    if kind == 4 then
      y := quintic(order, i, u, X, Y);
    elseif u < X[1] or u > X[n] then
      y := 0;
      if order == 0 then
        y := Y[if u < X[1] then 1 else n];
      end if;
    elseif order == 0 then
      y := Y[i] + t*(c + t*((3*m - 2*c - d)/h + t*(c + d - 2*m)/(h*h)));
    elseif order == 1 then
      y := c + t*(2*(3*m - 2*c - d)/h + 3*t*(c + d - 2*m)/(h*h));
    elseif order == 2 then
      y := 2*(3*m - 2*c - d)/h + 6*t*(c + d - 2*m)/(h*h);
    elseif order == 3 then
      y := 6*(c + d - 2*m)/(h*h);
    else
      y := 0;
    end if;
    annotation(derivative(noDerivative = X, noDerivative = Y) = rate);
  end curve;
  function rate "Derivative of a curve by time"
    input Integer order;
    input Integer kind;
    input Real x;
    input Real X[:];
    input Real Y[size(X, 1)];
    input Real der_x;
    output Real der_y;
  algorithm
    der_y := curve(order + 1, kind, x, X, Y)*der_x;
    annotation(derivative(noDerivative = X, noDerivative = Y, order = 2) = acceleration);
  end rate;
  function acceleration "Second derivative of a curve by time"
    input Integer order;
    input Integer kind;
    input Real x;
    input Real X[:];
    input Real Y[size(X, 1)];
    input Real der_x;
    input Real der_2_x;
    output Real der_2_y;
  algorithm
    der_2_y := curve(order + 2, kind, x, X, Y)*der_x*der_x + curve(order + 1, kind, x, X, Y)*der_2_x;
  end acceleration;
  function slope "Slope of monotone cubics at a node"
    input Integer kind;
    input Integer k;
    input Real X[:];
    input Real Y[size(X, 1)];
    output Real c;
  protected
    Integer n;
    Integer a;
    Integer b;
    Real h;
    Real g;
    Real m;
    Real l;
  algorithm
    n := size(X, 1);
    a := max(1, min(k - 1, n - 2));
    if k == n then
      a := n - 1;
    end if;
    b := a + 1;
    if k == n then
      b := max(1, n - 2);
    end if;
    if n == 2 then
      b := a;
    end if;
    if kind > 1 and (k == 1 or k == n) then
      a := n - 1;
      b := 1;
    end if;
    h := X[a + 1] - X[a];
    g := X[b + 1] - X[b];
    m := (Y[a + 1] - Y[a])/h;
    l := (Y[b + 1] - Y[b])/g;
    if n == 2 and kind < 2 then
      c := m;
    elseif kind > 1 or (k > 1 and k < n) then
      c := 0;
      if m*l > 0 then
        c := m/((2*g + h)/(3*(h + g))*l + (g + 2*h)/(3*(h + g))*m)*l;
      end if;
    else
      c := ((2*h + g)*m - h*l)/(h + g);
      if c*m <= 0 then
        c := 0;
      elseif m*l <= 0 and abs(c) > 3*abs(m) then
        c := 3*m;
      end if;
    end if;
  end slope;
  function surface "Value of a surface: of curves along y at all nodes of x, the value of a curve along x"
    input Integer kind;
    input Real x;
    input Real y;
    input Real X[:];
    input Real Y[:];
    input Real Z[size(X, 1), size(Y, 1)];
    output Real z;
  protected
    Real along[size(X, 1)];
  algorithm
    for i in 1:size(X, 1) loop
      along[i] := curve(0, kind, y, Y, Z[i, :]);
    end for;
    z := curve(0, kind, x, X, along);
  end surface;
  function quintic "Value in a piece of the fifth degree, with continuous second derivatives"
    input Integer order;
    input Integer i;
    input Real u;
    input Real X[:];
    input Real Y[size(X, 1)];
    output Real y;
  protected
    Real h;
    Real t;
    Real s;
    Real e;
    Real a;
    Real b;
    Real d;
    Real c3;
    Real c4;
    Real c5;
  algorithm
    h := X[i + 1] - X[i];
    t := u - X[i];
    s := bend(1, i, X, Y);
    e := bend(2, i, X, Y);
    a := (Y[i + 1] - Y[i] - h*(s + h*e/2))/(h*h*h);
    b := (bend(1, i + 1, X, Y) - s - h*e)/(h*h);
    d := (bend(2, i + 1, X, Y) - e)/h;
    c3 := 10*a - 4*b + d/2;
    c4 := (7*b - 15*a - d)/h;
    c5 := (6*a - 3*b + d/2)/(h*h);
    if order == 0 then
      y := Y[i] + t*(s + t*(e/2 + t*(c3 + t*(c4 + t*c5))));
    elseif order == 1 then
      y := s + t*(e + t*(3*c3 + t*(4*c4 + t*5*c5)));
    elseif order == 2 then
      y := e + t*(6*c3 + t*(12*c4 + t*20*c5));
    elseif order == 3 then
      y := 6*c3 + t*(24*c4 + t*60*c5);
    elseif order == 4 then
      y := 24*c4 + t*120*c5;
    else
      y := if order == 5 then 120*c5 else 0;
    end if;
  end quintic;
  function bend "First or second derivative at a node of the polynomial through five nodes of a periodic table"
    input Integer order;
    input Integer k;
    input Real X[:];
    input Real Y[size(X, 1)];
    output Real c;
  protected
    Real period;
    Real x;
    Real away;
    Real w;
    Real total;
  algorithm
    period := X[size(X, 1)] - X[1];
    x := node(k, period, X);
    c := 0;
    for j in 1:5 loop
      if j <> 3 then
        away := node(k + j - 3, period, X);
        w := 1/(away - x);
        total := 0;
        for l in 1:5 loop
          if l <> j and l <> 3 then
            w := w*(x - node(k + l - 3, period, X))/(away - node(k + l - 3, period, X));
            total := total + 1/(x - node(k + l - 3, period, X));
          end if;
        end for;
        if order == 2 then
          w := 2*w*total;
        end if;
        c := c + w*(node(k + j - 3, 0, Y) - node(k, 0, Y));
      end if;
    end for;
  end bend;
  function node "Number of a periodic row by its place, which may be below the first or beyond the last one"
    input Integer place;
    input Real period;
    input Real row[:];
    output Real number;
  protected
    Integer m;
    Integer turns;
  algorithm
    turns := integer(floor((place - 1)/(size(row, 1) - 1)));
    m := place - turns*(size(row, 1) - 1);
    number := row[m] + turns*period;
  end node;
  function leastStep "Least difference of neighbours"
    input Real X[:];
    output Real least;
  algorithm
    least := X[2] - X[1];
    for i in 2:size(X, 1) - 1 loop
      least := min(least, X[i + 1] - X[i]);
    end for;
  end leastStep;
end Tables;
