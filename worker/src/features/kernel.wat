;; Computes log-mel features of four frames at a time. Each of the four lanes of a vector belongs to one frame, and the
;; lanes never mix. So the features of a frame do not depend on the other three frames. kernel.ts fills the tables. A
;; vector has 16 bytes. A complex number of four lanes has 32 bytes, with the real parts first and then the imaginary
;; parts.
(module
  (memory (export "memory") 1)

  ;; Addresses. They are the same as in kernel.ts.
  (global $input i32 (i32.const 0))
  (global $work i32 (i32.const 8192))
  (global $workEnd i32 (i32.const 16384))
  (global $power i32 (i32.const 16384))
  (global $output i32 (i32.const 20608))
  (global $order i32 (i32.const 22656))
  (global $twiddles i32 (i32.const 23680))
  (global $turns i32 (i32.const 25696))
  (global $filters i32 (i32.const 26752))
  (global $weights i32 (i32.const 27776))
  (global $hann i32 (i32.const 36864))
  (global $samples i32 (i32.const 38464))

  ;; Computes the features of `mels` filters from the samples.
  (func (export "run") (param $mels i32)
    (call $window)
    (call $firstPass)
    (call $pass (i32.const 128) (global.get $twiddles))
    (call $pass (i32.const 512) (i32.add (global.get $twiddles) (i32.const 96)))
    (call $pass (i32.const 2048) (i32.add (global.get $twiddles) (i32.const 480)))
    (call $unpack)
    (call $filter (local.get $mels)))

  ;; Multiplies 400 samples of each frame by the window. Frames start 160 samples (640 bytes) apart. The 56 vectors
  ;; before the window and the 56 vectors after it stay zero.
  (func $window
    (local $i i32) (local $from i32)
    (loop $next
      (local.set $from (i32.add (global.get $samples) (local.get $i)))
      (v128.store offset=896
        (i32.shl (local.get $i) (i32.const 2))
        (f32x4.mul
          (v128.load32_splat (i32.add (global.get $hann) (local.get $i)))
          (v128.load32_lane offset=1920 3 (local.get $from)
            (v128.load32_lane offset=1280 2 (local.get $from)
              (v128.load32_lane offset=640 1 (local.get $from)
                (v128.load32_zero (local.get $from)))))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4))) (i32.const 1600)))))

  ;; First radix-4 pass. It reads its input in digit-reversed order. All its twiddle factors are 1.
  (func $firstPass
    (local $i i32) (local $to i32) (local $a i32) (local $b i32) (local $c i32) (local $d i32)
    (local $sumRe v128) (local $sumIm v128) (local $difRe v128) (local $difIm v128)
    (local $sum2Re v128) (local $sum2Im v128) (local $dif2Re v128) (local $dif2Im v128)
    (local.set $i (global.get $order))
    (local.set $to (global.get $work))
    (loop $next
      (local.set $a (i32.load (local.get $i)))
      (local.set $b (i32.load offset=4 (local.get $i)))
      (local.set $c (i32.load offset=8 (local.get $i)))
      (local.set $d (i32.load offset=12 (local.get $i)))
      (local.set $sumRe (f32x4.add (v128.load (local.get $a)) (v128.load (local.get $c))))
      (local.set $sumIm (f32x4.add (v128.load offset=16 (local.get $a)) (v128.load offset=16 (local.get $c))))
      (local.set $difRe (f32x4.sub (v128.load (local.get $a)) (v128.load (local.get $c))))
      (local.set $difIm (f32x4.sub (v128.load offset=16 (local.get $a)) (v128.load offset=16 (local.get $c))))
      (local.set $sum2Re (f32x4.add (v128.load (local.get $b)) (v128.load (local.get $d))))
      (local.set $sum2Im (f32x4.add (v128.load offset=16 (local.get $b)) (v128.load offset=16 (local.get $d))))
      (local.set $dif2Re (f32x4.sub (v128.load (local.get $b)) (v128.load (local.get $d))))
      (local.set $dif2Im (f32x4.sub (v128.load offset=16 (local.get $b)) (v128.load offset=16 (local.get $d))))
      (v128.store (local.get $to) (f32x4.add (local.get $sumRe) (local.get $sum2Re)))
      (v128.store offset=16 (local.get $to) (f32x4.add (local.get $sumIm) (local.get $sum2Im)))
      (v128.store offset=32 (local.get $to) (f32x4.add (local.get $difRe) (local.get $dif2Im)))
      (v128.store offset=48 (local.get $to) (f32x4.sub (local.get $difIm) (local.get $dif2Re)))
      (v128.store offset=64 (local.get $to) (f32x4.sub (local.get $sumRe) (local.get $sum2Re)))
      (v128.store offset=80 (local.get $to) (f32x4.sub (local.get $sumIm) (local.get $sum2Im)))
      (v128.store offset=96 (local.get $to) (f32x4.sub (local.get $difRe) (local.get $dif2Im)))
      (v128.store offset=112 (local.get $to) (f32x4.add (local.get $difIm) (local.get $dif2Re)))
      (local.set $i (i32.add (local.get $i) (i32.const 16)))
      (br_if $next
        (i32.lt_u (local.tee $to (i32.add (local.get $to) (i32.const 128))) (global.get $workEnd)))))

  ;; Runs one radix-4 pass in place. Each of its steps combines four neighbouring transforms of `span` bytes.
  (func $pass (param $span i32) (param $table i32)
    (local $j i32) (local $end i32) (local $a i32) (local $b i32) (local $c i32) (local $d i32)
    (local $w1Re v128) (local $w1Im v128) (local $w2Re v128) (local $w2Im v128) (local $w3Re v128) (local $w3Im v128)
    (local $re v128) (local $im v128)
    (local $bRe v128) (local $bIm v128) (local $cRe v128) (local $cIm v128) (local $dRe v128) (local $dIm v128)
    (local $sumRe v128) (local $sumIm v128) (local $difRe v128) (local $difIm v128)
    (local $sum2Re v128) (local $sum2Im v128) (local $dif2Re v128) (local $dif2Im v128)
    (local.set $j (global.get $work))
    (local.set $end (i32.add (global.get $work) (local.get $span)))
    (loop $outer
      (local.set $w1Re (v128.load32_splat (local.get $table)))
      (local.set $w1Im (v128.load32_splat offset=4 (local.get $table)))
      (local.set $w2Re (v128.load32_splat offset=8 (local.get $table)))
      (local.set $w2Im (v128.load32_splat offset=12 (local.get $table)))
      (local.set $w3Re (v128.load32_splat offset=16 (local.get $table)))
      (local.set $w3Im (v128.load32_splat offset=20 (local.get $table)))
      (local.set $table (i32.add (local.get $table) (i32.const 24)))
      (local.set $a (local.get $j))
      (loop $inner
        (local.set $b (i32.add (local.get $a) (local.get $span)))
        (local.set $c (i32.add (local.get $b) (local.get $span)))
        (local.set $d (i32.add (local.get $c) (local.get $span)))
        (local.set $re (v128.load (local.get $b)))
        (local.set $im (v128.load offset=16 (local.get $b)))
        (local.set $bRe (f32x4.sub (f32x4.mul (local.get $re) (local.get $w1Re)) (f32x4.mul (local.get $im) (local.get $w1Im))))
        (local.set $bIm (f32x4.add (f32x4.mul (local.get $re) (local.get $w1Im)) (f32x4.mul (local.get $im) (local.get $w1Re))))
        (local.set $re (v128.load (local.get $c)))
        (local.set $im (v128.load offset=16 (local.get $c)))
        (local.set $cRe (f32x4.sub (f32x4.mul (local.get $re) (local.get $w2Re)) (f32x4.mul (local.get $im) (local.get $w2Im))))
        (local.set $cIm (f32x4.add (f32x4.mul (local.get $re) (local.get $w2Im)) (f32x4.mul (local.get $im) (local.get $w2Re))))
        (local.set $re (v128.load (local.get $d)))
        (local.set $im (v128.load offset=16 (local.get $d)))
        (local.set $dRe (f32x4.sub (f32x4.mul (local.get $re) (local.get $w3Re)) (f32x4.mul (local.get $im) (local.get $w3Im))))
        (local.set $dIm (f32x4.add (f32x4.mul (local.get $re) (local.get $w3Im)) (f32x4.mul (local.get $im) (local.get $w3Re))))
        (local.set $re (v128.load (local.get $a)))
        (local.set $im (v128.load offset=16 (local.get $a)))
        (local.set $sumRe (f32x4.add (local.get $re) (local.get $cRe)))
        (local.set $sumIm (f32x4.add (local.get $im) (local.get $cIm)))
        (local.set $difRe (f32x4.sub (local.get $re) (local.get $cRe)))
        (local.set $difIm (f32x4.sub (local.get $im) (local.get $cIm)))
        (local.set $sum2Re (f32x4.add (local.get $bRe) (local.get $dRe)))
        (local.set $sum2Im (f32x4.add (local.get $bIm) (local.get $dIm)))
        (local.set $dif2Re (f32x4.sub (local.get $bRe) (local.get $dRe)))
        (local.set $dif2Im (f32x4.sub (local.get $bIm) (local.get $dIm)))
        (v128.store (local.get $a) (f32x4.add (local.get $sumRe) (local.get $sum2Re)))
        (v128.store offset=16 (local.get $a) (f32x4.add (local.get $sumIm) (local.get $sum2Im)))
        (v128.store (local.get $b) (f32x4.add (local.get $difRe) (local.get $dif2Im)))
        (v128.store offset=16 (local.get $b) (f32x4.sub (local.get $difIm) (local.get $dif2Re)))
        (v128.store (local.get $c) (f32x4.sub (local.get $sumRe) (local.get $sum2Re)))
        (v128.store offset=16 (local.get $c) (f32x4.sub (local.get $sumIm) (local.get $sum2Im)))
        (v128.store (local.get $d) (f32x4.sub (local.get $difRe) (local.get $dif2Im)))
        (v128.store offset=16 (local.get $d) (f32x4.add (local.get $difIm) (local.get $dif2Re)))
        (br_if $inner
          (i32.lt_u
            (local.tee $a (i32.add (local.get $a) (i32.shl (local.get $span) (i32.const 2))))
            (global.get $workEnd))))
      (br_if $outer (i32.lt_u (local.tee $j (i32.add (local.get $j) (i32.const 32))) (local.get $end)))))

  ;; Separates the spectra of the even and the odd samples, and combines them into the spectrum of all samples. A step
  ;; computes two bins, k and 256 - k. The values are twice the spectrum, so the power is four times too large. The
  ;; weights of the filters contain the factor 1/4.
  (func $unpack
    (local $k i32) (local $m i32) (local $turn i32) (local $low i32) (local $high i32)
    (local $re v128) (local $im v128) (local $re2 v128) (local $im2 v128) (local $cos v128) (local $sin v128)
    (local $evenRe v128) (local $evenIm v128) (local $oddRe v128) (local $oddIm v128)
    (local $turnedRe v128) (local $turnedIm v128)
    (local.set $k (i32.add (global.get $work) (i32.const 32)))
    (local.set $m (i32.sub (global.get $workEnd) (i32.const 32)))
    (local.set $turn (i32.add (global.get $turns) (i32.const 8)))
    (local.set $low (i32.add (global.get $power) (i32.const 16)))
    (local.set $high (i32.add (global.get $power) (i32.const 4080)))
    ;; Bins 0 and 256.
    (local.set $re (v128.load (global.get $work)))
    (local.set $im (v128.load offset=16 (global.get $work)))
    (local.set $evenRe (f32x4.add (local.get $re) (local.get $im)))
    (local.set $evenRe (f32x4.add (local.get $evenRe) (local.get $evenRe)))
    (v128.store (global.get $power) (f32x4.mul (local.get $evenRe) (local.get $evenRe)))
    (local.set $oddRe (f32x4.sub (local.get $re) (local.get $im)))
    (local.set $oddRe (f32x4.add (local.get $oddRe) (local.get $oddRe)))
    (v128.store offset=4096 (global.get $power) (f32x4.mul (local.get $oddRe) (local.get $oddRe)))
    (loop $next
      (local.set $re (v128.load (local.get $k)))
      (local.set $im (v128.load offset=16 (local.get $k)))
      (local.set $re2 (v128.load (local.get $m)))
      (local.set $im2 (v128.load offset=16 (local.get $m)))
      (local.set $evenRe (f32x4.add (local.get $re) (local.get $re2)))
      (local.set $evenIm (f32x4.sub (local.get $im) (local.get $im2)))
      (local.set $oddRe (f32x4.add (local.get $im) (local.get $im2)))
      (local.set $oddIm (f32x4.sub (local.get $re2) (local.get $re)))
      (local.set $cos (v128.load32_splat (local.get $turn)))
      (local.set $sin (v128.load32_splat offset=4 (local.get $turn)))
      (local.set $turnedRe (f32x4.add (f32x4.mul (local.get $oddRe) (local.get $cos)) (f32x4.mul (local.get $oddIm) (local.get $sin))))
      (local.set $turnedIm (f32x4.sub (f32x4.mul (local.get $oddIm) (local.get $cos)) (f32x4.mul (local.get $oddRe) (local.get $sin))))
      (local.set $re (f32x4.add (local.get $evenRe) (local.get $turnedRe)))
      (local.set $im (f32x4.add (local.get $evenIm) (local.get $turnedIm)))
      (v128.store (local.get $low) (f32x4.add (f32x4.mul (local.get $re) (local.get $re)) (f32x4.mul (local.get $im) (local.get $im))))
      (local.set $re (f32x4.sub (local.get $evenRe) (local.get $turnedRe)))
      (local.set $im (f32x4.sub (local.get $evenIm) (local.get $turnedIm)))
      (v128.store (local.get $high) (f32x4.add (f32x4.mul (local.get $re) (local.get $re)) (f32x4.mul (local.get $im) (local.get $im))))
      (local.set $k (i32.add (local.get $k) (i32.const 32)))
      (local.set $m (i32.sub (local.get $m) (i32.const 32)))
      (local.set $turn (i32.add (local.get $turn) (i32.const 8)))
      (local.set $low (i32.add (local.get $low) (i32.const 16)))
      (local.set $high (i32.sub (local.get $high) (i32.const 16)))
      (br_if $next (i32.le_u (local.get $k) (local.get $m)))))

  ;; Applies the mel filters and computes the logarithm. The table has two numbers per filter: the address of the first
  ;; power value that the filter reads, and the number of its weights. The weights of all filters are in one list.
  (func $filter (param $mels i32)
    (local $at i32) (local $end i32) (local $to i32) (local $weight i32) (local $bin i32) (local $last i32)
    (local $sum v128)
    (local.set $at (global.get $filters))
    (local.set $end (i32.add (local.get $at) (i32.shl (local.get $mels) (i32.const 3))))
    (local.set $to (global.get $output))
    (local.set $weight (global.get $weights))
    (loop $next
      (local.set $bin (i32.load (local.get $at)))
      (local.set $last (i32.add (local.get $bin) (i32.shl (i32.load offset=4 (local.get $at)) (i32.const 4))))
      (local.set $sum (f32x4.splat (f32.const 0x1p-24)))
      (loop $weighted
        (local.set $sum
          (f32x4.add (local.get $sum) (f32x4.mul (v128.load32_splat (local.get $weight)) (v128.load (local.get $bin)))))
        (local.set $weight (i32.add (local.get $weight) (i32.const 4)))
        (br_if $weighted (i32.lt_u (local.tee $bin (i32.add (local.get $bin) (i32.const 16))) (local.get $last))))
      (v128.store (local.get $to) (call $log (local.get $sum)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (local.get $end)))))

  ;; Computes the natural logarithm of positive normal numbers with the polynomial of the Cephes library (logf). The
  ;; number is m 2^e, where m is between sqrt(1/2) and sqrt(2).
  (func $log (param $x v128) (result v128)
    (local $e v128) (local $m v128) (local $small v128) (local $square v128) (local $y v128)
    (local.set $e
      (f32x4.convert_i32x4_s
        (i32x4.sub (i32x4.shr_u (local.get $x) (i32.const 23)) (v128.const i32x4 126 126 126 126))))
    (local.set $m
      (v128.or
        (v128.and (local.get $x) (v128.const i32x4 0x7fffff 0x7fffff 0x7fffff 0x7fffff))
        (v128.const i32x4 0x3f000000 0x3f000000 0x3f000000 0x3f000000)))
    (local.set $small (f32x4.lt (local.get $m) (f32x4.splat (f32.const 0.707106781186547524))))
    (local.set $e (f32x4.sub (local.get $e) (v128.and (local.get $small) (f32x4.splat (f32.const 1)))))
    (local.set $m
      (f32x4.sub
        (f32x4.add (local.get $m) (v128.and (local.get $small) (local.get $m)))
        (f32x4.splat (f32.const 1))))
    (local.set $square (f32x4.mul (local.get $m) (local.get $m)))
    (local.set $y (f32x4.splat (f32.const 7.0376836292e-2)))
    (local.set $y (f32x4.add (f32x4.mul (local.get $y) (local.get $m)) (f32x4.splat (f32.const -1.1514610310e-1))))
    (local.set $y (f32x4.add (f32x4.mul (local.get $y) (local.get $m)) (f32x4.splat (f32.const 1.1676998740e-1))))
    (local.set $y (f32x4.add (f32x4.mul (local.get $y) (local.get $m)) (f32x4.splat (f32.const -1.2420140846e-1))))
    (local.set $y (f32x4.add (f32x4.mul (local.get $y) (local.get $m)) (f32x4.splat (f32.const 1.4249322787e-1))))
    (local.set $y (f32x4.add (f32x4.mul (local.get $y) (local.get $m)) (f32x4.splat (f32.const -1.6668057665e-1))))
    (local.set $y (f32x4.add (f32x4.mul (local.get $y) (local.get $m)) (f32x4.splat (f32.const 2.0000714765e-1))))
    (local.set $y (f32x4.add (f32x4.mul (local.get $y) (local.get $m)) (f32x4.splat (f32.const -2.4999993993e-1))))
    (local.set $y (f32x4.add (f32x4.mul (local.get $y) (local.get $m)) (f32x4.splat (f32.const 3.3333331174e-1))))
    (local.set $y (f32x4.mul (f32x4.mul (local.get $y) (local.get $m)) (local.get $square)))
    (local.set $y (f32x4.add (local.get $y) (f32x4.mul (local.get $e) (f32x4.splat (f32.const -2.12194440e-4)))))
    (local.set $y (f32x4.sub (local.get $y) (f32x4.mul (local.get $square) (f32x4.splat (f32.const 0.5)))))
    (f32x4.add
      (f32x4.add (local.get $m) (local.get $y))
      (f32x4.mul (local.get $e) (f32x4.splat (f32.const 0.693359375)))))
)
